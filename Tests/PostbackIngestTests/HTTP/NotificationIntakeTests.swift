import HTTPTypes
import NIOCore
import NIOEmbedded
import PostbackStore
import Synchronization
import Testing

@testable import HTTPListener
@testable import PostbackIngest

@Suite("Notifications of the App Store on the public listener") struct NotificationIntakeTests {
    /// Keeps what it takes until the test answers.
    private final class Taken: Sendable {
        private struct State {
            var isOpen = true
            var all: [(body: [UInt8], origin: DeliveryOrigin, reply: NotificationReply)] = []
        }

        private let state = Mutex(State())

        var bodies: [[UInt8]] { state.withLock { $0.all.map(\.body) } }
        var origins: [DeliveryOrigin] { state.withLock { $0.all.map(\.origin) } }

        var hasLeft: Bool { state.withLock { $0.all.first?.reply.hasLeft(.zero) ?? false } }

        func set(isOpen: Bool) { state.withLock { $0.isOpen = isOpen } }

        func answer(_ word: String, isVerified: Bool = false) {
            let reply = state.withLock { $0.all.removeFirst().reply }
            reply.answer(JSONAnswer(.ok, word), isVerified: isVerified)
        }

        func intake() -> NotificationIntake {
            NotificationIntake(maximumBodyBytes: 1 << 20, budget: 1 << 20) {
                self.state.withLock { $0.isOpen }
            } take: { body, origin, reply in
                self.state.withLock { $0.all.append((body, origin, reply)) }
            }
        }
    }

    private func request(_ body: String, _ path: String = NotificationIntake.path) -> String {
        "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test("A body of up to the limit is handed on with its origin, and its answer goes out between others")
    func answered() throws {
        let taken = Taken()
        let intake = taken.intake()
        let connection = try PublicConnection(answer: .stored(.accepted), notifications: intake)
        let body = String(repeating: "n", count: 1 << 20)
        try connection.receive(PublicConnection.postback("1") + request(body) + PublicConnection.postback("2"))
        #expect(taken.bodies == [Array(body.utf8)])
        #expect(taken.origins == [DeliveryOrigin(address: IPAddress("192.0.2.7"), userAgent: nil)])
        #expect(connection.bodies == ["1"] && intake.bodies.reservedBytes == 1 << 20)
        taken.answer("stored")
        connection.channel.embeddedEventLoop.run()
        #expect(connection.bodies == ["1", "2"] && intake.bodies.reservedBytes == 0)
        let sent = try connection.sent()
        #expect(sent.split(separator: "HTTP/1.1 ").map { $0.prefix(3) } == ["200", "200", "200"])
        #expect(sent.contains("\r\n\r\nstored\n"))
    }

    @Test(
        "A query, a slash at the end and a host change neither what is at a target nor how large its bodies may be",
        arguments: [("", "?src=apple"), ("", "/"), ("", "/?src=apple"), ("http://h", ""), ("https://h", "?a=/b")])
    func targets(_ before: String, _ after: String) throws {
        let target = before + NotificationIntake.path + after
        let taken = Taken()
        let intake = taken.intake()
        let connection = try PublicConnection(notifications: intake)
        let body = String(repeating: "n", count: 20_480)
        try connection.receive(request(body, target))
        #expect(taken.bodies == [Array(body.utf8)] && intake.bodies.reservedBytes == 20_480)
        taken.answer("stored")
        connection.channel.embeddedEventLoop.run()
        #expect(try connection.sent().hasPrefix("HTTP/1.1 200 "))
        try connection.receive(request(String(repeating: "n", count: (1 << 20) + 1), target))
        let refused = try connection.sent()
        #expect(refused.hasPrefix("HTTP/1.1 413 ") && refused.contains("at most 1048576 bytes"))
        #expect(intake.bodies.reservedBytes == 0)
    }

    @Test("While nobody takes notifications, their path is not known and has no larger bodies; GET is not allowed")
    func closed() throws {
        let taken = Taken()
        taken.set(isOpen: false)
        for intake in [taken.intake(), nil] {
            let connection = try PublicConnection(notifications: intake)
            for path in [NotificationIntake.path, NotificationIntake.path + "/", NotificationIntake.path + "?a"] {
                try connection.receive(request("{}", path))
                #expect(try connection.sent().hasPrefix("HTTP/1.1 404 "))
            }
            try connection.receive(PublicConnection.other(NotificationIntake.path))
            #expect(try connection.sent().hasPrefix("HTTP/1.1 405 "))
            try connection.receive(request(String(repeating: "n", count: 16_385)))
            #expect(try connection.sent().hasPrefix("HTTP/1.1 413 "))
        }
        #expect(taken.bodies.isEmpty)
    }

    @Test("An answer for a client that is gone is thrown away, and the reply knows that it has left")
    func gone() throws {
        let taken = Taken()
        let connection = try PublicConnection(notifications: taken.intake())
        try connection.receive(request("{}"))
        #expect(!taken.hasLeft)
        try connection.channel.close().wait()
        #expect(taken.hasLeft)
        taken.answer("late")
        connection.channel.embeddedEventLoop.run()
        #expect(try connection.sent() == "")
    }
}
