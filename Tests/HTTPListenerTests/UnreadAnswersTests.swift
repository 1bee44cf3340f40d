import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Synchronization
import Testing

@testable import HTTPListener

@Suite("Clients that pipeline requests and do not read") struct UnreadAnswersTests {
    private let get = "GET /p HTTP/1.1\r\nHost: h\r\n\r\n"

    /// The reasons for which connections were closed.
    private final class Ends: Sendable {
        let all = Mutex<[ConnectionEnd]>([])

        func table(limit: Int = .max) -> ConnectionTable {
            ConnectionTable(limit: limit) { end in self.all.withLock { $0.append(end) } }
        }
    }

    @Test("Of requests that come in one read only the first is decoded at once, and the next one if it is asked for")
    func slices() throws {
        let connection = try GuardedConnection()
        let requests = String(repeating: get, count: 1_000)
        try connection.channel.writeInbound(ByteBuffer(string: requests))
        let first = connection.application.parts.count
        #expect(first == 2)
        let reads = connection.socket.reads
        // Without a demand nothing more is decoded; the socket is not read either.
        connection.channel.pipeline.fireChannelReadComplete()
        #expect(connection.application.parts.count == first)
        connection.channel.read()
        #expect(connection.application.parts.count == 2_000)
        #expect(connection.socket.reads == reads + 1)
    }

    @Test("A head that comes in parts is decoded in slices of a limited size")
    func longHead() throws {
        let connection = try GuardedConnection()
        let head = "GET /p HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "x", count: 4_000))\r\n\r\n"
        try connection.channel.writeInbound(ByteBuffer(string: head + get))
        #expect(connection.application.parts.isEmpty)
        connection.channel.read()
        #expect(connection.application.parts.count == 4)
    }

    @Test("Requests with bodies that come in one read are decoded one by one")
    func bodies() throws {
        let connection = try GuardedConnection()
        let request = "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
        try connection.channel.writeInbound(ByteBuffer(string: request + request + request))
        #expect(connection.application.bodies.isEmpty)
        connection.channel.read()
        #expect(connection.application.bodies == Array(repeating: Array("abc".utf8), count: 3))
    }

    @Test("A head that begins behind other requests in the same read has its deadline")
    func beginsBehind() throws {
        for (requests, answers) in [(get + get, 2), ("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc", 1)]
        {
            let connection = try GuardedConnection()
            try connection.receive(requests + "GET /p HT")
            for _ in 0..<answers { try connection.respond("yes") }
            #expect(try connection.sent().hasSuffix("yes"))
            connection.advance(.milliseconds(9_999))
            #expect(try connection.sent() == "")
            connection.advance(.milliseconds(1))
            #expect(try connection.sent().hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test("Nothing is decoded behind the last request of a connection")
    func behindTheLast() throws {
        let connection = try GuardedConnection(limits: RequestLimits(maximumUnverifiedRequests: 2))
        try connection.receive(String(repeating: get, count: 100))
        #expect(connection.application.parts.count == 4)
        try connection.respond("first")
        try connection.respond("second")
        #expect(try connection.sent().hasSuffix("Connection: close\r\n\r\nsecond"))
    }

    @Test("The bytes of a declared body are one slice")
    func body() throws {
        let connection = try GuardedConnection()
        try connection.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 16000\r\n\r\n")
        let before = connection.application.parts.count
        try connection.channel.writeInbound(ByteBuffer(string: String(repeating: "x", count: 16_000)))
        #expect(connection.application.parts.count == before + 2)
    }

    @Test("The end of the input comes behind the bytes that are held")
    func heldEnd() throws {
        let connection = try GuardedConnection()
        try connection.channel.writeInbound(ByteBuffer(string: String(repeating: get, count: 200)))
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        connection.channel.read()
        #expect(connection.application.parts.count == 400)
        #expect(connection.application.errors.isEmpty)
    }

    @Test("A client for whom too much would be held is closed")
    func flood() throws {
        let ends = Ends()
        let connection = try GuardedConnection(table: ends.table())
        let read = String(repeating: "x", count: 16_384)
        try connection.channel.writeInbound(ByteBuffer(string: String(repeating: get, count: 500)))
        var reads = 0
        while connection.channel.isActive, reads < 100 {
            try connection.channel.writeInbound(ByteBuffer(string: read))
            reads += 1
        }
        #expect(reads == 8)
        #expect(ends.all.withLock { $0 } == [.flood])
    }

    @Test("A client that reads nothing of its answers is closed when its time has passed")
    func unread() throws {
        let ends = Ends()
        let connection = try GuardedConnection(table: ends.table())
        try connection.receive(get)
        try connection.respond("answer")
        connection.client(reads: false)
        connection.advance(.milliseconds(9_999))
        #expect(connection.channel.isActive)
        connection.advance(.milliseconds(1))
        #expect(!connection.channel.isActive)
        #expect(ends.all.withLock { $0 } == [.unread])
    }

    @Test("A client that reads slowly has time, one that only pretends to read has not")
    func slowReader() throws {
        let connection = try GuardedConnection()
        func write(_ count: Int) {
            let bytes = ByteBuffer(string: String(repeating: "x", count: count))
            connection.channel.write(HTTPResponsePart.body(bytes), promise: nil)
        }
        try connection.receive(get)
        let fields: HTTPFields = [.contentLength: "100000"]
        connection.channel.write(
            HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: fields)), promise: nil)
        write(4_096)
        connection.client(reads: false)
        // The embedded channel counts what was not flushed as what the client did not read.
        connection.channel.flush()
        connection.advance(.milliseconds(10_000))
        #expect(connection.channel.isActive)
        write(1_000)
        connection.advance(.milliseconds(9_999))
        #expect(connection.channel.isActive)
        connection.advance(.milliseconds(1))
        #expect(!connection.channel.isActive)
    }

    @Test("A client that reads again in time goes on, even if an answer was due all the time")
    func readsAgain() throws {
        let connection = try GuardedConnection()
        try connection.receive(get + get)
        try connection.respond("first")
        connection.client(reads: false)
        connection.advance(.seconds(9))
        connection.client(reads: true)
        connection.advance(.seconds(9))
        try connection.respond("second")
        #expect(try connection.sent().hasSuffix("second"))
        #expect(connection.channel.isActive)
    }

    @Test("The last request of a connection is answered with Connection: close")
    func requests() throws {
        let ends = Ends()
        let connection = try GuardedConnection(limits: RequestLimits(maximumRequests: 3), table: ends.table())
        for number in 1...3 {
            try connection.receive(get)
            if number == 3 { connection.requestGuard.clientIsVerified() }
            try connection.respond("\(number)")
            #expect(try connection.sent().contains("Connection: close") == (number == 3))
            #expect(connection.socket.isOutputClosed == (number == 3))
        }
        #expect(ends.all.withLock { $0 } == [.requests])
    }

    @Test("Without a verified postback a connection has fewer requests")
    func unverifiedRequests() throws {
        let limits = RequestLimits(maximumRequests: 4, maximumUnverifiedRequests: 2)
        for isVerified in [false, true] {
            let connection = try GuardedConnection(limits: limits)
            for number in 1...(isVerified ? 4 : 2) {
                #expect(!connection.socket.isOutputClosed)
                try connection.receive(get)
                if isVerified { connection.requestGuard.clientIsVerified() }
                try connection.respond("\(number)")
            }
            #expect(connection.socket.isOutputClosed == isVerified)
            #expect(try connection.sent().contains("Connection: close"))
        }
    }

    @Test("Without a verified postback the client is left to close the connection after its last request, for a time")
    func waitsForClient() throws {
        let limits = RequestLimits(unreadDeadline: .seconds(7), maximumUnverifiedRequests: 1)
        for closesBefore in [false, true] {
            let connection = try GuardedConnection(limits: limits)
            try connection.receive(get)
            try connection.respond("last")
            connection.advance(.milliseconds(6_999))
            #expect(connection.channel.isActive && !connection.socket.isOutputClosed)
            if closesBefore {
                connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            } else {
                connection.advance(.milliseconds(1))
            }
            #expect(!connection.channel.isActive)
        }
    }

    @Test("A connection at the end of its lifetime closes behind the answer to its next request")
    func lifetime() throws {
        let ends = Ends()
        let connection = try GuardedConnection(limits: RequestLimits(lifetime: .seconds(100)), table: ends.table())
        for (pause, closes) in [(0, false), (50_000, false), (49_999, false), (1, true)] {
            connection.advance(.milliseconds(Int64(pause)))
            try connection.receive(get)
            try connection.respond("answer")
            #expect(try connection.sent().contains("Connection: close") == closes)
        }
        #expect(ends.all.withLock { $0 } == [.lifetime])
    }

    @Test("Room is made by a silent connection, then by one with half a request, not by one whose answer is due")
    func room() throws {
        let ends = Ends()
        let table = ends.table(limit: 3)
        let connections = try (0..<3).map { _ in try GuardedConnection(table: table) }
        try connections[0].receive(get)
        try connections[2].receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nab")
        var later: [GuardedConnection] = []
        for expected in [[true, false, true], [true, false, false], [true, false, false]] {
            later.append(try GuardedConnection(table: table))
            for connection in connections + later { connection.advance(.zero) }
            #expect(connections.map(\.channel.isActive) == expected)
        }
        #expect(later.map(\.channel.isActive) == [false, true, true])
        #expect(ends.all.withLock { $0 } == [.room, .room, .room])
        try connections[0].respond("served")
        #expect(try connections[0].sent().hasSuffix("served"))
    }
}
