import AdAttribution
import NIOCore
import NIOEmbedded
import PostbackStore
import Testing

@testable import PostbackIngest

@Suite("The channel handler of the public listener") struct PublicChannelHandlerTests {
    private typealias Connection = PublicConnection

    private let accepted = """
        HTTP/1.1 200 OK\r
        Content-Type: application/json\r
        X-Content-Type-Options: nosniff\r
        Content-Length: 42\r
        Date: Sun, 06 Nov 1994 08:49:37 GMT\r
        \r
        {"outcome":"accepted","detail":"counted"}

        """

    /// The statuses of responses, in order.
    private func statuses(_ text: String) -> [String] {
        text.split(separator: "HTTP/1.1 ").map { String($0.prefix(3)) }
    }

    @Test("A body that comes in pieces reaches the receiver whole, with its origin, and its answer goes out")
    func answered() throws {
        let connection = try Connection()
        let text = Connection.postback("{\"a\":1}", "User-Agent: Phone/1")
        for piece in text { try connection.receive(String(piece)) }
        let received = try #require(connection.received.first)
        #expect(received.body == "{\"a\":1}")
        #expect(received.origin == DeliveryOrigin(address: IPAddress("192.0.2.7"), userAgent: "Phone/1"))
        #expect(try connection.sent() == "")
        received.reply.now(.stored(.accepted))
        #expect(try connection.sent() == accepted)
    }

    @Test("An answer has the id of its request: a trusted peer's, else one of the server's, each time another")
    func identified() throws {
        func ids(_ connection: Connection, _ request: String) throws -> [String] {
            try connection.receive(request)
            return try connection.sentIDs()
        }
        let requests = [
            Connection.postback("a", "X-Request-ID: theirs"),
            "GET / HTTP/1.1\r\nHost: h\r\nX-Request-ID: theirs\r\n\r\n",
        ]
        let trusting = try Connection(answer: .stored(.accepted), trusting: TrustedProxies("192.0.2.0/24"))
        for request in requests { #expect(try ids(trusting, request) == ["theirs"]) }
        let others =
            try [Connection(answer: .stored(.accepted), trusting: TrustedProxies("192.0.3.0/24"))]
            + [Connection(answer: .stored(.accepted))]
        let own = try others.flatMap { connection in try (requests + requests).flatMap { try ids(connection, $0) } }
        #expect(own.count == 8 && Set(own).count == 8 && !own.contains("theirs"))
    }

    @Test("Both paths are a postback's, with a slash at the end, a query or a host too")
    func targets() throws {
        let connection = try Connection(answer: .stored(.duplicate))
        let targets =
            PublicRoute.postbackPaths + [
                Connection.path + "/", Connection.path + "?a=b", "http://h" + Connection.path,
            ]
        for target in targets {
            try connection.receive("POST \(target) HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n0")
        }
        #expect(connection.received.count == targets.count)
        #expect(statuses(try connection.sent()) == targets.map { _ in "200" })
    }

    @Test("Other paths are answered 404 and other methods 405, behind their bodies")
    func others() throws {
        let connection = try Connection()
        let requests = [
            ("POST \(Connection.path)/x", "404"), ("GET /", "404"), ("GET \(Connection.path)", "405"),
            ("HEAD \(Connection.path)?a", "405"), ("PUT \(SignedPayloads.path)/", "405"),
        ]
        for (request, status) in requests {
            try connection.receive("\(request) HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\na")
            #expect(try connection.sent() == "")
            try connection.receive("b")
            let sent = try connection.sent()
            #expect(statuses(sent) == [status])
            #expect(sent.contains("\r\nAllow: POST\r\n") == (status == "405"))
            #expect(sent.contains("\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"))
            let body =
                status == "404"
                ? #"{"error":{"field":"path","rule":"nothing is here"}}"#
                : #"{"error":{"field":"method","rule":"must be POST"}}"#
            #expect(sent.hasSuffix(request.hasPrefix("HEAD") ? "\r\n\r\n" : "\r\n\r\n" + body + "\n"))
        }
        #expect(connection.received.isEmpty && connection.asked.isEmpty)
    }

    @Test("A request for a signed payload is asked with its body, and its answer goes out")
    func signedPayload() throws {
        let connection = try Connection()
        try connection.receive(Connection.question("who?"))
        #expect(connection.asked.map(\.body) == ["who?"])
        #expect(try connection.sent() == "")
        connection.answer(0, "payload")
        let sent = try connection.sent()
        #expect(statuses(sent) == ["200"])
        #expect(sent.contains("\r\nDate: ") && sent.hasSuffix("\r\n\r\npayload\n"))
        connection.answer(0, "again")
        #expect(try connection.sent() == "")
    }

    @Test("Pipelined requests are answered in their order, whoever answers them")
    func order() throws {
        let connection = try Connection()
        try connection.receive(
            Connection.postback("1") + Connection.postback("2") + Connection.question("3") + Connection.other("/4")
                + Connection.question("5") + Connection.postback("6") + Connection.other("/7"))
        #expect(connection.bodies == ["1"])
        connection.received[0].reply.now(.stored(.accepted))
        #expect(connection.bodies == ["1", "2"])
        #expect(connection.asked.isEmpty)
        connection.received[1].reply.now(.stored(.raised))
        #expect(connection.asked.map(\.body) == ["3"])
        connection.answer(0, "three")
        #expect(connection.asked.map(\.body) == ["3", "5"])
        #expect(connection.bodies == ["1", "2"])
        connection.answer(1, "five")
        #expect(connection.bodies == ["1", "2", "6"])
        connection.received[2].reply.now(.stored(.conflict))
        let sent = try connection.sent()
        #expect(statuses(sent) == ["200", "200", "200", "404", "200", "200", "404"])
        let places = ["\"counted\"", "value raised", "three", "five", "value ignored"].map { word in
            sent.ranges(of: word).map { sent.distance(from: sent.startIndex, to: $0.lowerBound) }
        }
        #expect(places.allSatisfy { $0.count == 1 })
        #expect(places.flatMap { $0 } == places.flatMap { $0 }.sorted())
    }

    @Test("Nothing is read while a request is held back, and reading goes on afterwards")
    func reading() throws {
        let connection = try Connection()
        try connection.receive(Connection.postback("1"))
        let before = connection.socket.reads
        connection.channel.read()
        // Nothing is held back yet: the end of the client must be seen.
        #expect(connection.socket.reads == before + 1)
        try connection.receive(Connection.postback("2"))
        let held = connection.socket.reads
        connection.channel.read()
        connection.channel.read()
        #expect(connection.socket.reads == held)
        connection.received[0].reply.now(.stored(.accepted))
        #expect(connection.socket.reads == held + 1)
        #expect(connection.bodies == ["1", "2"])
    }

    @Test("Any number of pipelined postbacks that are refused at once is answered")
    func refusedAtOnce() throws {
        let connection = try Connection(answer: .unavailable(.overloaded, .skAdNetwork))
        // The first one waits for its answer, so that all others are held back.
        try connection.receive(
            Connection.question("?") + String(repeating: Connection.postback("{}"), count: 3_000))
        #expect(connection.received.isEmpty)
        connection.answer(0, "first")
        #expect(connection.received.count == 3_000)
        let sent = statuses(try connection.sent())
        #expect(sent.count == 3_001)
        #expect(sent.dropFirst().allSatisfy { $0 == "503" })
    }

    @Test("No postback begins while the client does not read its answers")
    func slowReader() throws {
        let connection = try Connection()
        try connection.receive(Connection.postback("1"))
        connection.channel.isWritable = false
        connection.channel.pipeline.fireChannelWritabilityChanged()
        connection.received[0].reply.now(.stored(.accepted))
        let reads = connection.socket.reads
        try connection.receive(Connection.postback("2"))
        connection.channel.read()
        #expect(connection.bodies == ["1"])
        #expect(connection.socket.reads == reads)
        connection.channel.isWritable = true
        connection.channel.pipeline.fireChannelWritabilityChanged()
        #expect(connection.bodies == ["1", "2"])
        #expect(connection.socket.reads == reads + 1)
    }

    @Test("An answer for a client that is gone is thrown away")
    func clientGone() throws {
        let connection = try Connection()
        try connection.receive(Connection.postback("1") + Connection.postback("2"))
        try connection.channel.close().wait()
        connection.received[0].reply.now(.stored(.accepted))
        #expect(connection.bodies == ["1"])
        #expect(try connection.sent() == "")
    }

    @Test("A shutdown and the end of the input close the connection behind the answers that are due")
    func ends() throws {
        for event in [ChannelShouldQuiesceEvent() as any Sendable, ChannelEvent.inputClosed] {
            let idle = try Connection()
            idle.channel.pipeline.fireUserInboundEventTriggered(event)
            #expect(!idle.channel.isActive)

            if event is ChannelShouldQuiesceEvent {
                let reading = try Connection()
                let text = Connection.postback("12345")
                try reading.receive(String(text.dropLast(3)))
                reading.channel.pipeline.fireUserInboundEventTriggered(event)
                try reading.receive(String(text.suffix(3)))
                #expect(reading.bodies == ["12345"])
                #expect(reading.channel.isActive)
                reading.received[0].reply.now(.stored(.accepted))
                #expect(try statuses(reading.sent()) == ["200"])
                #expect(!reading.channel.isActive)
            }

            let waiting = try Connection()
            try waiting.receive(
                Connection.postback("1") + Connection.other("/2") + Connection.question("3"))
            waiting.channel.pipeline.fireUserInboundEventTriggered(event)
            waiting.received[0].reply.now(.stored(.accepted))
            #expect(waiting.channel.isActive)
            waiting.answer(0, "three")
            #expect(try statuses(waiting.sent()) == ["200", "404", "200"])
            #expect(!waiting.channel.isActive)
        }
    }

    @Test("Nothing of a connection stays in memory when it is closed")
    func released() throws {
        weak var handler: PublicChannelHandler?
        try {
            let connection = try Connection()
            handler = try connection.channel.pipeline.syncOperations.handler(type: PublicChannelHandler.self)
            try connection.receive(Connection.other("/1") + "GET /2 HT")
            #expect(handler != nil)
            _ = try connection.channel.finish(acceptAlreadyClosed: true)
        }()
        #expect(handler == nil)
    }

    @Test("An error of the connection closes it")
    func error() throws {
        let connection = try Connection()
        try connection.receive(Connection.postback("1"))
        connection.channel.pipeline.fireErrorCaught(ChannelError.inputClosed)
        #expect(!connection.channel.isActive)
    }

    @Test("A request with `Connection: close` is the last one, and its answer says so")
    func lastRequest() throws {
        let connection = try Connection()
        try connection.receive(Connection.postback("1", "Connection: close") + Connection.postback("2"))
        connection.received[0].reply.now(.stored(.accepted))
        #expect(try connection.sent().lowercased().contains("\r\nconnection: close\r\n"))
        #expect(connection.socket.isOutputClosed)
        #expect(connection.bodies == ["1"])
    }

    @Test("A body that is too large is refused by the guard, behind the answers that are due, and reaches nobody")
    func tooLarge() throws {
        let connection = try Connection()
        try connection.receive(Connection.postback("1"))
        try connection.receive("POST \(Connection.path) HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        try connection.receive("5000\r\n" + String(repeating: "x", count: 0x5000) + "\r\n0\r\n\r\n")
        #expect(try connection.sent() == "")
        connection.received[0].reply.now(.stored(.accepted))
        #expect(statuses(try connection.sent()) == ["200", "413"])
        #expect(connection.bodies == ["1"])
    }

    @Test("A postback that is refused while it is read has one answer")
    func refusedWhileRead() throws {
        let connection = try Connection()
        let head = "POST \(Connection.path) HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
        try connection.receive(head + "\r\n3\r\nabc\r\n")
        try connection.receive("nonsense\r\n")
        #expect(statuses(try connection.sent()) == ["400"])
        #expect(connection.received.isEmpty)
    }

    @Test("Leave to continue is given for a postback")
    func leaveToContinue() throws {
        let connection = try Connection()
        try connection.receive(
            "POST \(Connection.path) HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n")
        #expect(try connection.sent() == "HTTP/1.1 100 Continue\r\n\r\n")
        try connection.receive("1")
        #expect(connection.bodies == ["1"])
    }

    @Test("Each answer has its status, and what was not stored may be sent again in half a minute")
    func statusesOfAnswers() throws {
        let refused = PostbackRejection.tooLarge
        let answers: [(PostbackAnswer, String, String)] = [
            (.stored(.accepted), "200", "accepted"), (.stored(.raised), "200", "raised"),
            (.stored(.duplicate), "200", "duplicate"), (.stored(.conflict), "200", "duplicate"),
            (.refused(refused), "413", "too_large"), (.unavailable(.overloaded, .skAdNetwork), "503", "overloaded"),
            (.unavailable(.overloaded, nil), "503", "overloaded"),
            (.unavailable(.overloaded, .adAttributionKit), "500", "overloaded"),
            (.unavailable(.storage, .skAdNetwork), "503", "storage_unavailable"),
            (.unavailable(.storage, .adAttributionKit), "500", "storage_unavailable"),
        ]
        for (answer, status, outcome) in answers {
            let connection = try Connection(answer: answer)
            try connection.receive(Connection.postback("1"))
            let sent = try connection.sent()
            #expect(statuses(sent) == [status])
            #expect(sent.contains("\r\n\r\n{\"outcome\":\"\(outcome)\",\"detail\":\""))
            let isUnavailable = if case .unavailable = answer { true } else { false }
            #expect(sent.lowercased().contains("\r\nretry-after: 30\r\n") == isUnavailable)
        }
    }
}
