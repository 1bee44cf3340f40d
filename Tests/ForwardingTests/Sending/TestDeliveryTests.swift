import Destinations
import NIOHTTP1
import PostbackStore
import ReceiverSupport
import TestSupport
import Testing

@testable import Forwarding

@Suite("A delivery that tries a destination out", .ownThread)
struct TestDeliveryTests {
    private func send(to destination: Destination) async throws -> TestDelivery.Report {
        let test = TestDelivery(
            secrets: SecretFiles(folder: "/nowhere"), addresses: try AddressRules("127.0.0.1"))
        return await test.send(to: destination)
    }

    @Test("The receiver sees by header, webhook-id and transaction that the postback is made up")
    func marks() async throws {
        try await TestReceiver.with(react: { _, _ in .status(200, body: "thank you") }) { receiver in
            let report = try await send(
                to: try TestDestination.at("http://127.0.0.1:\(receiver.port)/{transaction-id}?e={environment}"))
            #expect(report.isDelivered)
            #expect(report.answer?.status == 200)
            #expect(report.answer?.body == Array("thank you".utf8))
            let request = try #require(receiver.requests.first)
            #expect(request.path.lowercased() == "/00000000-0000-4000-8000-000000000000?e=test")
            #expect(request.headers["X-AdAttribution-Test"] == ["true"])
            #expect(request.headers.first(name: "webhook-id")?.hasPrefix("pb_test_") == true)
        }
    }

    @Test("What does not count as success is told with the answer, and is not tried again")
    func failure() async throws {
        try await TestReceiver.with(react: { _, _ in .status(404, body: "who?") }) { receiver in
            let report = try await send(to: try TestDestination.at("http://127.0.0.1:\(receiver.port)/"))
            #expect(report.problem == "status 404 does not count as success")
            #expect(report.answer?.body == Array("who?".utf8))
            #expect(receiver.requests.count == 1)
        }
        let none = try await send(to: try TestDestination.at("http://127.0.0.1:1/"))
        #expect(none.answer == nil)
        #expect(none.problem?.contains("refused") == true)
    }

    @Test("A secret that is missing is told by its name, and nothing is sent")
    func missingSecret() async throws {
        try await TestReceiver.with(react: { _, _ in .status(200) }) { receiver in
            let report = try await send(
                to: try TestDestination.at("http://127.0.0.1:\(receiver.port)/?t={secret:token}"))
            #expect(report.problem?.contains("token") == true)
            #expect(report.request?.url == "http://127.0.0.1:\(receiver.port)/?t={secret:token}")
            #expect(receiver.connections == 0)
        }
    }
}
