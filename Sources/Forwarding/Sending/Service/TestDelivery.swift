package import Destinations
import Foundation
package import Observability

/// Sends one made-up postback to a destination, so that somebody sees whether it works.
///
/// The receiver can tell that it is one: the header `X-AdAttribution-Test` is `true`, `webhook-id` begins with
/// `pb_test_`, the environment is `test`, and the transaction is `00000000-0000-4000-8000-000000000000`. Its signature is
/// not Apple's. Nothing is stored, and a failure is not tried again.
package struct TestDelivery: Sendable {
    /// How a test went.
    package struct Report: Sendable {
        /// What was sent, with the names of secrets in place of them; nil if there is no request.
        package let request: PreparedRequest?
        /// What was answered; nil if nothing was.
        package let answer: DeliveryAnswer?
        /// Why it does not count as delivered; nil if it does.
        package let problem: String?

        /// Whether the answer counts as success.
        package var isDelivered: Bool { problem == nil }
    }

    private let secrets: SecretFiles
    private let addresses: AddressRules
    private let resolver: AddressResolver
    private let clock: WallClock

    /// Makes a sender of tests.
    package init(
        secrets: SecretFiles, addresses: AddressRules, resolver: AddressResolver = .system, clock: WallClock = .system
    ) {
        self.secrets = secrets
        self.addresses = addresses
        self.resolver = resolver
        self.clock = clock
    }

    /// Sends one, whatever the destination's filter and state.
    package func send(to destination: Destination) async -> Report {
        let now = clock.milliseconds()
        let request: PreparedRequest
        do throws(UnsendableEvent) {
            request = Self.marked(try destination.request(for: Self.event(at: now)))
        } catch {
            return Report(request: nil, answer: nil, problem: error.reason)
        }
        let signed: SignedRequest
        do throws(SecretProblem) {
            signed = try request.signed(with: secrets.secrets(destination.secrets), at: now / 1_000)
        } catch {
            return Report(request: request, answer: nil, problem: "\(error)")
        }
        let client = DeliveryClient(destination: destination, rules: addresses, resolver: resolver)
        let report: Report
        do throws(DeliveryFailure) {
            let answer = try await client.send(signed)
            let isSuccess = destination.success.accepts(status: answer.status)
            report = Report(
                request: request, answer: answer,
                problem: isSuccess ? nil : "status \(answer.status) does not count as success")
        } catch {
            report = Report(request: request, answer: error.answer, problem: error.reason)
        }
        await client.close()
        return report
    }

    private static func marked(_ request: PreparedRequest) -> PreparedRequest {
        PreparedRequest(
            method: request.method, url: request.url,
            headers: request.headers + [HeaderField(name: "X-AdAttribution-Test", value: "true")],
            body: request.body, webhookID: request.webhookID, signing: request.signing)
    }

    private static let transaction = UUID(
        uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0))

    /// A postback of SKAdNetwork 4 that nobody got.
    private static func event(at now: Int64) -> ForwardedEvent {
        let body = """
            {"version":"4.0","ad-network-id":"example.skadnetwork","source-identifier":"0000",\
            "transaction-id":"\(transaction.uuidString.lowercased())","app-id":0,"source-app-id":0,\
            "redownload":false,"fidelity-type":1,"did-win":true,"conversion-value":0,\
            "postback-sequence-index":0,"attribution-signature":"test"}
            """
        return ForwardedEvent(
            id: "test_\(UUID().uuidString.lowercased())", kind: .accepted, transactionID: transaction,
            environment: "test", protocolName: "skadnetwork", adNetworkID: "example.skadnetwork",
            isDeveloperCopy: false, campaignType: "source-identifier", campaign: "0000", advertisedAppID: 0,
            sequenceIndex: 0, didWin: true, conversionValue: 0, receivedAt: now * 1_000, sourceAppID: 0,
            version: "4.0", fidelityType: 1, redownload: false, body: Array(body.utf8),
            names: EventNames(
                campaignID: "test", campaignName: "test", adsetID: "test", adsetName: "test", adID: "test",
                adName: "test", networkName: "test"))
    }
}
