import NIOHTTP1
import ReceiverSupport
import Synchronization
import TestSupport

/// A receiver of forwarded postbacks on a free port of this machine: it keeps each request, and answers as it is told.
final class LocalReceiver: Sendable {
    private final class Answer: Sendable {
        let status = Mutex(200)
    }

    private let answer: Answer
    private let receiver: TestReceiver

    private init(_ receiver: TestReceiver, _ answer: Answer) {
        self.receiver = receiver
        self.answer = answer
    }

    var port: Int { receiver.port }

    /// The requests so far.
    var received: [TestReceiver.Request] { receiver.requests }

    /// Answers with this status from now on.
    func answer(_ status: Int) { answer.status.withLock { $0 = status } }

    /// Starts a receiver, which is gone when the test ends.
    static func start() async throws -> LocalReceiver {
        let answer = Answer()
        let receiver = try await TestReceiver.start { request, _ in
            let status = answer.status.withLock { $0 }
            // It repeats what it got, as some do.
            let key = request.headers.first(name: "X-Key").map { ", key \($0)" } ?? ""
            return .status(status, body: "status \(status)\(key)")
        }
        try Teardown.add { try await receiver.close() }
        return LocalReceiver(receiver, answer)
    }
}

extension Installation {
    /// The file of a destination that sends to a receiver, with more members as JSON.
    static func destination(_ name: String, to receiver: LocalReceiver, _ members: [String] = []) -> String {
        let own = [
            "\"name\": \"\(name)\"", "\"url\": \"http://127.0.0.1:\(receiver.port)/\(name)\"", "\"allow-http\": true",
            "\"body\": \"raw\"",
        ]
        return "{ " + (own + members).joined(separator: ",\n  ") + " }\n"
    }

    /// Loads a destination that sends to a receiver.
    func load(_ name: String, to receiver: LocalReceiver, _ members: String...) async throws {
        try write(Self.destination(name, to: receiver, members), to: "\(name).json")
        try await succeed(["destination", "load", "\(folder)/\(name).json"])
    }
}
