import Destinations
import Foundation
import NIOHTTP1
import Observability
import PostbackStore
import ReceiverSupport
import TestSupport
import Testing

@testable import Forwarding

@Suite("An attempt", .ownThread)
final class AttemptSendingTests: Sendable {
    private let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "secrets-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func write(_ text: String, to name: String) throws {
        let path = "\(folder)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// Makes an attempt for a destination whose file names the secret `new`.
    private func outcome(of content: Delivery.Content, port: Int) async throws -> AttemptOutcome {
        let destination = try TestDestination.at(
            "http://127.0.0.1:\(port)/", #""headers": {"Authorization": "Bearer {secret:new}"}"#)
        let client = DeliveryClient(destination: destination, rules: try AddressRules("127.0.0.1"))
        let sending = AttemptSending(
            destination: destination, secrets: SecretFiles(folder: folder), client: client, clock: .system)
        let outcome = await sending.outcome(
            of: SenderState.Begun(
                number: 0, delivery: Delivery(content: content), leaseEnd: .now + .seconds(600)))
        await client.close()
        return outcome
    }

    /// The row of a request that names the secret `old`.
    private func row(port: Int) throws -> Delivery.Content {
        .row(
            try TestDestination.waiting(
                1, url: "http://127.0.0.1:\(port)/",
                headers: [HeaderField(name: "Authorization", value: "Bearer {secret:old}")]))
    }

    @Test("A stored request is sent with a secret that the file does not name any more; without it, it alone fails")
    func earlierSecret() async throws {
        try await TestReceiver.with(react: { _, _ in .status(200) }) { receiver in
            let stored = try self.row(port: receiver.port)
            try self.write("two", to: "new")
            let missing = try await self.outcome(of: stored, port: receiver.port)
            #expect(missing == .failed(AttemptFailure(reason: "secret old is missing")))
            try self.write("one", to: "old")
            let found = try await self.outcome(of: stored, port: receiver.port)
            #expect(found == .delivered)
            #expect(receiver.requests.map { $0.headers["Authorization"] } == [["Bearer one"]])
        }
    }

    @Test("If a secret of the file is missing, no attempt is made, not even with a stored request")
    func missingSecret() async throws {
        try await TestReceiver.with(react: { _, _ in .status(200) }) { receiver in
            try self.write("one", to: "old")
            let blocked = AttemptOutcome.blocked(problem: "secret new is missing")
            let stored = try await self.outcome(of: self.row(port: receiver.port), port: receiver.port)
            #expect(stored == blocked)
            let new = try await self.outcome(of: .event(TestDestination.event()), port: receiver.port)
            #expect(new == blocked)
            #expect(receiver.connections == 0)
        }
    }
}
