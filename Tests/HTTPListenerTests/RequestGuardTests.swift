import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import HTTPListener

@Suite("The request guard")
struct RequestGuardTests {
    private let tooLarge = #"{"outcome":"too_large","detail":"body: must have at most 16384 bytes"}"#
    private let tooSlow = #"{"outcome":"too_slow","detail":"request: not complete after 10 seconds"}"#
    private let chunkedHead = "POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"

    private func chunk(_ size: Int) -> String {
        String(size, radix: 16) + "\r\n" + String(repeating: "x", count: size) + "\r\n"
    }

    private func post(_ body: String, headers: String = "") -> String {
        "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
    }

    @Test("A request within the limits and its response pass unchanged")
    func passes() throws {
        let connection = try GuardedConnection()
        for _ in 0..<3 {
            try connection.receive(post(String(repeating: "b", count: 16_384)))
            try connection.respond("fine")
            #expect(try connection.sent() == "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine")
        }
        let body = [UInt8](repeating: UInt8(ascii: "b"), count: 16_384)
        #expect(connection.application.bodies == [body, body, body])
        #expect(connection.application.errors.isEmpty)
        #expect(!connection.socket.isOutputClosed)
    }

    @Test("A declared length above the limit is answered at once and never reaches the application")
    func declaredLength() throws {
        let connection = try GuardedConnection()
        try connection.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 16385\r\n\r\n")
        #expect(
            try connection.sent() == "HTTP/1.1 413 Content Too Large\r\nContent-Type: application/json\r\n"
                + "X-Content-Type-Options: nosniff\r\nContent-Length: \(tooLarge.utf8.count)\r\nConnection: close\r\n\r\n"
                + tooLarge)
        #expect(connection.application.parts.isEmpty)
        #expect(connection.socket.isOutputClosed)
        #expect(connection.channel.isActive)
    }

    @Test("A body without a length is refused at the first byte above the limit, and the application gets an error")
    func undeclaredLength() throws {
        let connection = try GuardedConnection()
        try connection.receive(chunkedHead + chunk(16_000))
        #expect(try connection.sent() == "")
        try connection.receive(chunk(385))
        #expect(try connection.sent().hasSuffix(tooLarge))
        #expect(connection.application.errors.map { $0 as? RequestError } == [.bodyTooLarge(limit: 16_384)])
    }

    @Test("A body in chunks of one byte is taken up to its limit")
    func smallestChunks() throws {
        let connection = try GuardedConnection(limits: RequestLimits(maximumBodyBytes: 16_384))
        try connection.receive("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunks = String(repeating: "1\r\nx\r\n", count: 4_096)
        for _ in 1...4 { try connection.receive(chunks) }
        try connection.receive("0\r\n\r\n")
        #expect(connection.application.parts.count == 16_384 + 2)
        try connection.respond("yes")
        #expect(try connection.sent().hasSuffix("\r\n\r\nyes"))
    }

    @Test("A chunk extension without end is refused, and so is one behind many small chunks")
    func endlessChunkExtension() throws {
        for chunks in ["", "1\r\nx\r\n1\r\ny\r\n"] {
            let connection = try GuardedConnection()
            try connection.receive("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)1;")
            let piece = String(repeating: "x", count: 4_096)
            var pieces = 0
            while connection.application.errors.isEmpty, pieces < 1_000 {
                try connection.receive(piece)
                pieces += 1
            }
            // 64 KiB and 8 for each of the 16,384 bytes of a body.
            #expect(pieces == 48)
            #expect(
                try connection.sent().hasSuffix(
                    #"{"outcome":"too_large","detail":"request: must have at most 196608 bytes"}"#))
            #expect(connection.socket.isOutputClosed)
        }
    }

    @Test("What the application writes after a refusal is dropped")
    func writesAfterRefusal() throws {
        let connection = try GuardedConnection()
        try connection.receive(chunkedHead + chunk(16_385))
        _ = try connection.sent()
        try connection.respond("late")
        #expect(try connection.sent() == "")
    }

    @Test("A refusal is not written into a response that has begun")
    func begunResponse() throws {
        let connection = try GuardedConnection()
        try connection.receive(chunkedHead)
        try connection.channel.writeOutbound(
            HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "2"])))
        try connection.receive(chunk(16_385))
        try connection.channel.writeOutbound(HTTPResponsePart.body(ByteBuffer(string: "ok")))
        #expect(!connection.socket.isOutputClosed)
        try connection.channel.writeOutbound(HTTPResponsePart.end(nil))
        #expect(try connection.sent() == "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        #expect(connection.socket.isOutputClosed)
    }

    @Test("A response that comes before the whole body ends the connection, and the rest of the body is not decoded")
    func bodyAfterResponse() throws {
        for head in [chunkedHead, "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 16384\r\n\r\n"] {
            let connection = try GuardedConnection()
            try connection.receive(head)
            try connection.respond("no")
            #expect(
                try connection.sent() == "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
            #expect(connection.socket.isOutputClosed)
            try connection.receive(chunk(16_385))
            #expect(try connection.sent() == "")
            #expect(connection.application.parts.count == 1)
        }
        // The body of a later request says nothing about the response to an earlier one.
        let connection = try GuardedConnection()
        try connection.receive(post("one") + chunkedHead)
        try connection.respond("first")
        #expect(try connection.sent() == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst")
        #expect(!connection.socket.isOutputClosed)
    }

    @Test("A refusal comes after the response to an earlier request")
    func refusalInOrder() throws {
        let connection = try GuardedConnection()
        try connection.receive(post("one") + "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 99999\r\n\r\n")
        #expect(try connection.sent() == "")
        try connection.respond("first")
        let sent = try connection.sent()
        #expect(sent.hasPrefix("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirstHTTP/1.1 413 "))
        #expect(sent.hasSuffix(tooLarge))
    }

    @Test("After a refusal some bytes are discarded, and then nothing more is read")
    func discardedBytes() throws {
        let connection = try GuardedConnection()
        try connection.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000000\r\n\r\n")
        let reads = connection.socket.reads
        for _ in 0..<4 { try connection.receive(String(repeating: "x", count: 16 * 1024)) }
        #expect(connection.socket.reads > reads)
        let readsAtTheBound = connection.socket.reads
        connection.channel.read()
        try connection.receive("x")
        connection.channel.read()
        #expect(connection.socket.reads == readsAtTheBound)
        #expect(connection.application.parts.isEmpty)
    }

    @Test("The connection stays open for a while, so that the client can read the answer")
    func lingers() throws {
        let connection = try GuardedConnection()
        try connection.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 16385\r\n\r\n")
        connection.channel.close(promise: nil)
        connection.advance(.milliseconds(1_999))
        #expect(connection.channel.isActive)
        connection.advance(.milliseconds(1))
        #expect(!connection.channel.isActive)
    }

    @Test("The connection closes as soon as the client has closed its side")
    func clientCloses() throws {
        let connection = try GuardedConnection()
        try connection.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 16385\r\n\r\n")
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!connection.channel.isActive)
    }

    @Test("A body that stops is answered when its time has passed")
    func stalledBody() throws {
        let connection = try GuardedConnection()
        try connection.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab")
        connection.advance(.milliseconds(9_999))
        #expect(try connection.sent() == "")
        connection.advance(.milliseconds(1))
        let sent = try connection.sent()
        #expect(sent.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        #expect(sent.hasSuffix(tooSlow))
        #expect(connection.application.errors.map { $0 as? RequestError } == [.tooSlow(after: .seconds(10))])
    }

    @Test("A slow body gets no more time than one that stops")
    func slowBody() throws {
        let connection = try GuardedConnection()
        try connection.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5000\r\n\r\n")
        for _ in 0..<19 {
            connection.advance(.milliseconds(500))
            try connection.receive("x")
        }
        #expect(try connection.sent() == "")
        connection.advance(.milliseconds(500))
        #expect(try connection.sent().hasSuffix(tooSlow))
    }

    @Test("A slow head is answered when its time has passed")
    func slowHead() throws {
        let connection = try GuardedConnection()
        connection.advance(.seconds(30))
        for character in "GET / HTTP/1.1\r\nHost:" {
            guard try connection.sent().isEmpty else { break }
            try connection.receive(String(character))
            connection.advance(.seconds(1))
        }
        #expect(connection.socket.isOutputClosed)
        #expect(connection.application.parts.isEmpty)
    }

    @Test("The time of a request starts with its first byte and ends with its last")
    func requestTime() throws {
        let connection = try GuardedConnection()
        connection.advance(.seconds(50))
        try connection.receive("POST /p HTTP/1.1\r\n")
        connection.advance(.seconds(9))
        try connection.receive("Host: h\r\nContent-Length: 1\r\n\r\nx")
        connection.advance(.hours(1))
        try connection.respond("slow service, not slow client")
        #expect(try connection.sent().hasSuffix("slow service, not slow client"))
        #expect(!connection.socket.isOutputClosed)
    }

    @Test("A silent connection is closed without an answer")
    func silence() throws {
        let connection = try GuardedConnection()
        connection.advance(.seconds(60))
        #expect(!connection.channel.isActive)
        #expect(try connection.sent() == "")
    }

    @Test("The idle time starts again with each response")
    func idleTime() throws {
        let connection = try GuardedConnection()
        for _ in 0..<4 {
            connection.advance(.seconds(59))
            try connection.receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            try connection.respond("ok")
        }
        connection.advance(.milliseconds(59_999))
        #expect(connection.channel.isActive)
        connection.advance(.milliseconds(1))
        #expect(!connection.channel.isActive)
    }

    @Test("Blank lines between requests are not a request and do not keep a connection open")
    func blankLines() throws {
        let connection = try GuardedConnection()
        for _ in 0..<59 {
            try connection.receive("\r\n")
            connection.advance(.seconds(1))
        }
        #expect(connection.channel.isActive)
        connection.advance(.seconds(1))
        #expect(!connection.channel.isActive)
        #expect(try connection.sent() == "")
    }

    @Test("A head that is too large is answered with 431")
    func largeHead() throws {
        let connection = try GuardedConnection()
        try connection.receive("GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "x", count: 9_000))\r\n\r\n")
        let sent = try connection.sent()
        #expect(sent.hasPrefix("HTTP/1.1 431 Request Header Fields Too Large\r\n"))
        #expect(sent.hasSuffix(#"{"outcome":"too_large","detail":"head: too large"}"#))
        #expect(connection.application.errors.isEmpty)
    }

    @Test(
        "Bytes that are not HTTP/1 are answered as malformed",
        arguments: [
            "\u{16}\u{3}\u{1}hello\r\n\r\n", "GET / HTTP/2.0\r\nHost: h\r\n\r\n",
            "GET / HTTP/1.1\r\nbad header\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1x\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        ])
    func notHTTP(text: String) throws {
        let connection = try GuardedConnection()
        try connection.receive(text)
        let sent = try connection.sent()
        #expect(sent.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(sent.contains(#"{"outcome":"malformed","detail":"HTTP: "#))
        #expect(sent.components(of: "HTTP/1.1 ") == 1)
        #expect(connection.socket.isOutputClosed)
        #expect(connection.application.errors.isEmpty)
    }

    @Test("A broken chunk is malformed, and the application does not get the body as complete")
    func brokenChunk() throws {
        let connection = try GuardedConnection()
        try connection.receive(chunkedHead + chunk(3) + "zz\r\n")
        #expect(try connection.sent().hasPrefix("HTTP/1.1 400 "))
        #expect(connection.application.errors.count == 1)
        #expect(!connection.application.parts.contains { if case .end = $0 { true } else { false } })
    }

    @Test("A body that the client cuts off is an error for the application")
    func cutBody() throws {
        let connection = try GuardedConnection()
        try connection.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab")
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(try connection.sent().hasPrefix("HTTP/1.1 400 "))
        #expect(connection.application.errors.first is RequestError)
        #expect(!connection.channel.isActive)
    }

    @Test("An answer to a HEAD request has no body")
    func headRequest() throws {
        let connection = try GuardedConnection()
        try connection.receive("HEAD / HTTP/1.1\r\nHost: h\r\nContent-Length: 16385\r\n\r\n")
        #expect(try connection.sent().hasSuffix("\r\n\r\n"))
    }

    @Test("The application's response to a HEAD request goes out without its body, also behind another request")
    func headResponse() throws {
        let connection = try GuardedConnection()
        try connection.receive("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nHEAD /2 HTTP/1.1\r\nHost: h\r\n\r\n")
        try connection.receive("GET /3 HTTP/1.1\r\nHost: h\r\n\r\n")
        for _ in 0..<3 { try connection.respond("yes") }
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
        #expect(try connection.sent() == answer + "yes" + answer + answer + "yes")
    }

    @Test(
        "A request whose framing a proxy could read differently is malformed",
        arguments: [
            ("", "Host: must be there exactly once"),
            ("Host: a\r\nhost: a\r\n", "Host: must be there exactly once"),
            ("Host: a b\r\n", "Host: must be a host, and a port or none"),
            ("Host: a,b@c\r\n", "Host: must be a host, and a port or none"),
            ("Host: a:8o\r\n", "Host: must be a host, and a port or none"),
            ("Host: [::1\r\n", "Host: must be a host, and a port or none"),
            ("Host: a\r\nTransfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: must be chunked"),
            (
                "Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                "HTTP: unknown (http_parser error)"
            ),
        ])
    func ambiguousFraming(headers: String, rule: String) throws {
        let connection = try GuardedConnection()
        try connection.receive("POST /p HTTP/1.1\r\n\(headers)\r\n")
        let sent = try connection.sent()
        #expect(sent.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(sent.hasSuffix("{\"outcome\":\"malformed\",\"detail\":\"\(rule)\"}"))
        #expect(connection.application.parts.isEmpty)
        #expect(connection.socket.isOutputClosed)
    }

    @Test("HTTP/1.0 needs no Host, and its connection closes after the response")
    func oldVersion() throws {
        let connection = try GuardedConnection()
        try connection.receive("GET / HTTP/1.0\r\n\r\n")
        try connection.respond("yes")
        #expect(try connection.sent() == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nyes")
        #expect(connection.socket.isOutputClosed)
    }

    @Test(
        "HTTP/1.0 has no Transfer-Encoding, whatever is beside it, and the connection closes",
        arguments: ["", "Connection: keep-alive\r\n", "Content-Length: 3\r\nConnection: keep-alive\r\n"])
    func oldFraming(headers: String) throws {
        let connection = try GuardedConnection()
        try connection.receive(
            "POST /p HTTP/1.0\r\nHost: a\r\n\(headers)Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
        #expect(try connection.sent().hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(connection.application.parts.isEmpty)
        #expect(connection.socket.isOutputClosed)
    }

    @Test("100 Continue is sent only for a body that will be accepted")
    func expectContinue() throws {
        let taken = try GuardedConnection()
        try taken.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-Continue\r\n\r\n")
        #expect(try taken.sent() == "HTTP/1.1 100 Continue\r\n\r\n")
        try taken.receive("ok")
        try taken.respond("ok")
        #expect(try taken.sent() == "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

        let refused = try GuardedConnection()
        try refused.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 16385\r\nExpect: 100-continue\r\n\r\n")
        #expect(try refused.sent().hasPrefix("HTTP/1.1 413 "))

        let old = try GuardedConnection()
        try old.receive("POST /p HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(try old.sent().isEmpty)
    }

    @Test(
        "100 Continue comes behind the responses before it, if the client still waits for it", arguments: [true, false])
    func expectContinueBehindAnother(waits: Bool) throws {
        let connection = try GuardedConnection()
        try connection.receive(
            "GET /1 HTTP/1.1\r\nHost: h\r\n\r\n"
                + "POST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(try connection.sent().isEmpty)
        if !waits { try connection.receive("o") }
        try connection.respond("one")
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
        #expect(try connection.sent() == answer + "one" + (waits ? "HTTP/1.1 100 Continue\r\n\r\n" : ""))
        try connection.receive(waits ? "ok" : "k")
        try connection.respond("two")
        #expect(try connection.sent() == answer + "two")
    }

    @Test(
        "A target in absolute form may name the host with its usual port, and needs no Host in HTTP/1.0",
        arguments: [
            ("http://a/p HTTP/1.1", "Host: a\r\n", true), ("http://a:80/p HTTP/1.1", "Host: A\r\n", true),
            ("https://a/p HTTP/1.1", "Host: a:443\r\n", true), ("http://a/p HTTP/1.0", "", true),
            ("http://a:8080/p HTTP/1.1", "Host: a\r\n", false), ("https://a/p HTTP/1.1", "Host: a:80\r\n", false),
            ("http://a/p HTTP/1.1", "Host: b\r\n", false), ("http://a/p HTTP/1.0", "Host: b\r\n", false),
        ])
    func absoluteForm(target: String, headers: String, isTaken: Bool) throws {
        let connection = try GuardedConnection()
        try connection.receive("GET \(target)\r\n\(headers)\r\n")
        #expect(connection.application.parts.isEmpty != isTaken)
        #expect(
            try connection.sent().hasSuffix(
                isTaken ? "" : "{\"outcome\":\"malformed\",\"detail\":\"Host: must be that of the target\"}"))
    }

    @Test(
        "The connection ends after the last request, and the response says so",
        arguments: ["Connection: foo, Close", "Connection: Upgrade\r\nUpgrade: h2c"])
    func lastRequest(headers: String) throws {
        let connection = try GuardedConnection()
        try connection.receive("GET / HTTP/1.1\r\nHost: h\r\n\(headers)\r\n\r\n")
        try connection.receive("stray bytes\r\n\r\n")
        try connection.respond("ok")
        #expect(try connection.sent() == "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        #expect(connection.socket.isOutputClosed)
    }

    @Test("A response with Connection: close ends the connection")
    func closingResponse() throws {
        let connection = try GuardedConnection()
        try connection.receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        try connection.respond("bye", headerFields: [.connection: "close"])
        #expect(connection.socket.isOutputClosed)
        #expect(connection.channel.isActive)
        connection.advance(.seconds(2))
        #expect(!connection.channel.isActive)
    }

    @Test("A connection whose output the application closed does not stay open for long")
    func closedOutput() throws {
        let connection = try GuardedConnection()
        connection.channel.close(mode: .output, promise: nil)
        connection.advance(.seconds(2))
        #expect(!connection.channel.isActive)
    }
}

extension String {
    /// How often a text occurs, without overlaps.
    fileprivate func components(of text: String) -> Int {
        split(separator: text, omittingEmptySubsequences: false).count - 1
    }

    @Test("Nothing of a connection stays in memory when it is closed")
    func released() throws {
        weak var requestGuard: RequestGuard?
        weak var tap: RawBytesTap?
        try {
            let connection = try GuardedConnection()
            (requestGuard, tap) = (connection.requestGuard, connection.requestGuard.tap)
            try connection.receive("GET / HTTP/1.1\r\nHost: h\r\n\r\nGET / HT")
            #expect(requestGuard != nil && tap != nil)
            _ = try connection.channel.finish(acceptAlreadyClosed: true)
        }()
        #expect(requestGuard == nil && tap == nil)
    }
}
