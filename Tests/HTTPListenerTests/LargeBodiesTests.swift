import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPListener

@Suite("Large bodies of some requests")
struct LargeBodiesTests {
    private static let mebibyte = 1_048_576

    private func bodies(of count: Int, isOpen: Bool = true) -> LargeBodies {
        LargeBodies(
            maximumBodyBytes: Self.mebibyte, budget: count * Self.mebibyte, isOpen: { isOpen },
            isTarget: { target in ["/large", "/large/"].contains(String(target.prefix { $0 != "?" })) })
    }

    private func connection(_ bodies: LargeBodies) throws -> GuardedConnection {
        try GuardedConnection(limits: RequestLimits(largeBodies: bodies))
    }

    private func head(_ path: String, length: Int) -> String {
        "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(length)\r\n\r\n"
    }

    private func status(_ connection: GuardedConnection) throws -> String {
        String(try connection.sent().split(separator: " ").dropFirst().first ?? "none")
    }

    @Test("A mebibyte is taken at such a target, then a small body at another one; one byte more is refused at once")
    func limits() throws {
        let bodies = bodies(of: 1)
        let connection = try connection(bodies)
        let body = String(repeating: "b", count: Self.mebibyte)
        for (path, body) in [("/large", body), ("/p", "b"), ("/large/", body), ("/large?a=b", body)] {
            try connection.receive(head(path, length: body.utf8.count) + body)
            try connection.respond("fine")
            #expect(try status(connection) == "200")
        }
        #expect(connection.application.bodies.map(\.count) == [Self.mebibyte, 1, Self.mebibyte, Self.mebibyte])
        #expect(bodies.reservedBytes == 0)
        for path in ["/large", "/large?a=b"] {
            let refused = try self.connection(bodies)
            try refused.receive(head(path, length: Self.mebibyte + 1))
            let sent = try refused.sent()
            #expect(sent.hasPrefix("HTTP/1.1 413 ") && sent.contains("must have at most 1048576 bytes"), "\(path)")
            #expect(bodies.reservedBytes == 0)
        }
    }

    @Test("A body in chunks is refused at the first byte above the limit")
    func chunked() throws {
        let connection = try connection(bodies(of: 1))
        try connection.receive("POST /large HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = "10000\r\n" + String(repeating: "x", count: 0x10000) + "\r\n"
        for _ in 0..<16 { try connection.receive(chunk) }
        #expect(try connection.sent() == "")
        try connection.receive("1\r\nx\r\n")
        #expect(try connection.sent().contains("must have at most 1048576 bytes"))
    }

    @Test(
        "Other targets, and such a target while it is closed, have the limit of all others",
        arguments: [("/larger", true), ("/larger?/large", true), ("/Large", true), ("/large", false)])
    func others(path: String, isOpen: Bool) throws {
        let connection = try connection(bodies(of: 1, isOpen: isOpen))
        try connection.receive(head(path, length: 16_385))
        #expect(try connection.sent().contains("must have at most 16384 bytes"))
    }

    @Test("A body takes memory for what has come of it, so clients that announce much and send little take little")
    func slow() throws {
        let bodies = bodies(of: 2)
        var slow: [GuardedConnection] = []
        for _ in 0..<32 {
            let connection = try connection(bodies)
            try connection.receive(head("/large", length: Self.mebibyte) + "b")
            slow.append(connection)
        }
        #expect(bodies.reservedBytes == 32)
        let other = try connection(bodies)
        try other.receive(head("/large", length: Self.mebibyte) + String(repeating: "b", count: Self.mebibyte))
        #expect(bodies.reservedBytes == 32 + Self.mebibyte)
        try other.respond("fine")
        #expect(try status(other) == "200")
        // Whoever does not send the rest in time is refused, and takes nothing from then on.
        for connection in slow {
            connection.advance(.seconds(10))
            #expect(try status(connection) == "408")
            #expect(connection.channel.isActive)
        }
        #expect(bodies.reservedBytes == 0)
    }

    @Test("Beyond the budget a request gets 503: before its body by its length, else at the byte that does not fit")
    func budget() throws {
        let bodies = bodies(of: 2)
        let chunk = "10000\r\n" + String(repeating: "x", count: 0x10000) + "\r\n"
        let first = try connection(bodies)
        try first.receive(head("/large", length: Self.mebibyte))
        try first.receive(String(repeating: "b", count: Self.mebibyte - 1))
        #expect(bodies.reservedBytes == Self.mebibyte - 1)
        let second = try connection(bodies)
        try second.receive("POST /large HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<15 { try second.receive(chunk) }
        #expect(bodies.reservedBytes == Self.mebibyte - 1 + 15 * 0x10000)
        let room = 0x10000 + 1
        let third = try connection(bodies)
        try third.receive(head("/large", length: room + 1))
        let refused = try third.sent()
        #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.contains("\r\nRetry-After: 30\r\n"))
        #expect(refused.contains("\"outcome\":\"overloaded\"") && third.application.parts.isEmpty)
        // One that fits takes nothing before it comes.
        let fourth = try connection(bodies)
        try fourth.receive(head("/large", length: room))
        #expect(try fourth.sent() == "")
        #expect(bodies.reservedBytes == Self.mebibyte - 1 + 15 * 0x10000)
        try fourth.receive("bb")
        // What does not fit any more gives back what came of it, though its client is still there.
        try second.receive(chunk)
        #expect(try status(second) == "503")
        #expect(second.application.errors.count == 1 && second.channel.isActive)
        #expect(bodies.reservedBytes == Self.mebibyte - 1 + 2)
        // Other paths don't ask for this memory.
        let other = try connection(bodies)
        try other.receive(head("/p", length: 1) + "b")
        try other.respond("fine")
        #expect(try status(other) == "200")
        // The memory is free when the request is answered, or the connection is closed.
        try first.receive("b")
        #expect(bodies.reservedBytes == Self.mebibyte + 2)
        try first.respond("fine")
        #expect(bodies.reservedBytes == 2)
        try fourth.channel.close().wait()
        #expect(bodies.reservedBytes == 0)
        let fifth = try connection(bodies)
        try fifth.receive(head("/large", length: 2) + "ok")
        try fifth.respond("fine")
        #expect(try status(fifth) == "200")
    }

    @Test("Whoever keeps a body beyond its connection keeps its memory reserved")
    func kept() throws {
        let bodies = bodies(of: 1)
        let connection = try connection(bodies)
        try connection.receive(head("/large", length: 3) + "abc")
        var reservation = connection.requestGuard.bodyReservation
        #expect(reservation != nil)
        try connection.channel.close().wait()
        #expect(bodies.reservedBytes == 3)
        reservation = nil
        #expect(bodies.reservedBytes == 0 && reservation == nil)
    }

    @Test("A refused head and a request without a body reserve nothing")
    func nothing() throws {
        let bodies = bodies(of: 1)
        let first = try connection(bodies)
        try first.receive("POST /large HTTP/1.1\r\nContent-Length: 9\r\n\r\n")
        #expect(try status(first) == "400" && bodies.reservedBytes == 0)
        let second = try connection(bodies)
        try second.receive("GET /large HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(bodies.reservedBytes == 0 && second.application.parts.count == 2)
    }
}
