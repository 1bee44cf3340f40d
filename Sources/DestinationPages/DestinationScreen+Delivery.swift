import AdminAPI
import AuditTrail
import CampaignData
import Destinations
import Forwarding
import Hummingbird
import PageRequests
import PageViews
import PostbackStore

/// One delivery that failed: its request, and what was answered.
extension DestinationScreen {
    /// Shows a delivery.
    func page(_ request: PageRequest, _ stored: StoredDestination, _ key: DeliveryKey) async throws -> Response {
        let name = stored.destination.name
        guard let row = try await store.delivery(of: name, key) else {
            throw Problem(
                .notFound, field: "delivery",
                rule: "does not wait and is no dead letter; it may have succeeded, or was removed after its time")
        }
        let back = address(request, of: name)
        let view = ReportView(
            request.frame("Delivery \(key)"),
            introduction: row.isSendable
                ? "An event that \(name) did not take yet: the last attempt, and what was answered."
                : "An event that could not become a request for \(name). Another attempt would not help.",
            tabs: [PageLink("Back to \(name)", back)],
            facts: [
                Fact(
                    "State", row.state == .dead ? "dead letter: it is not tried again" : "waiting for another attempt"),
                Fact("Reason", row.lastError ?? "–"),
                Fact("Status of the answer", row.lastStatus.map { "\($0)" } ?? "none"),
                Fact("Attempts", "\(row.attempt)"), Fact("First failed at (UTC)", row.firstFailedAt.shown),
                Fact("Next attempt (UTC)", row.nextAt?.shown ?? "none"), Fact("Event", row.kind),
                Fact("Received at (UTC)", row.receivedAt.shown),
                Fact("Transaction", "\(row.transactionID)".lowercased()), Fact("webhook-id", row.request.webhookID),
            ],
            actions: row.state == .dead && row.isSendable
                ? [
                    FormView(
                        id: "retry", hint: "It is sent again within seconds, with the request below.",
                        target: address(request, of: name, key), csrf: request.session.formToken,
                        buttons: [FormButton("Retry", "retry")])
                ] : [],
            blocks: AttemptText.blocks(row.request, answer: row.answer))
        return responses.html(view)
    }

    /// Tries a dead letter again.
    func retry(
        _ request: PageRequest, _ stored: StoredDestination, _ key: DeliveryKey, _ form: PageForm
    ) async throws -> Response {
        guard form["do"] == "retry" else { throw Problem(.invalidBody, field: "do", rule: "must be retry") }
        let name = stored.destination.name
        let count = try await store.retryDead(name, .keys([key]))
        guard count > 0 else { throw Problem(.notFound, field: "delivery", rule: "is no dead letter of \(name) now") }
        await trail.note(.deliveryRetry, of: "\(name)", by: request.actor, [("deliveries", Int64(count))])
        return try await page(request, stored, notices: ["The delivery \(key) is tried again."])
    }

    /// The address of a delivery.
    func address(_ request: PageRequest, of name: DestinationName, _ key: DeliveryKey) -> String {
        request.address(keeping: "\(place.path)/\(name)/\(key)")
    }
}
