import AdminAPI
import AuditTrail
import Destinations
import Forwarding
import Hummingbird
import PageRequests
import PageViews
import PostbackStore

/// What the buttons of a destination do.
extension DestinationScreen {
    /// The most characters of a reason.
    private static let longestReason = 200

    /// Does what a button of a destination says.
    ///
    /// - Throws: `Problem` if the form is another one.
    func change(_ request: PageRequest, _ stored: StoredDestination, _ form: PageForm) async throws -> Response {
        let (name, actor) = (stored.destination.name, request.actor)
        let subject = "\(name)"
        let done: String
        switch form["do"] {
        case "pause":
            let reason = String((form["reason"] ?? "").prefix(Self.longestReason))
            let isPaused = try await store.pauseDestination(
                name, reason: reason.isEmpty ? "paused by \(actor.description)" : reason)
            if isPaused { await trail.note(.destinationPause, of: subject, by: actor) }
            // One that is off stays off.
            let state = try await self.stored(name).state
            done =
                isPaused
                ? "Paused. Servers see it within seconds; what is under way is finished."
                : "Nothing was changed: it is \(state.rawValue) already."
        case "resume":
            try await store.resumeDestination(name)
            await trail.note(.destinationResumption, of: subject, by: actor)
            done = "Resumed. A server begins within seconds."
        case "retry-all":
            let count = try await store.retryDead(name, .all)
            await trail.note(.deliveryRetry, of: subject, by: actor, [("deliveries", Int64(count))])
            done = "\(NumberText.decimal("\(count)", places: 0)) dead letters are tried again."
        case "test": return try await test(request, stored)
        case "remove":
            guard form["plan"] == Self.digest(stored) else { return try await askToRemove(request, stored) }
            guard try await store.removeDestination(name) else { throw Problem.notFound }
            await trail.note(.destinationRemoval, of: subject, by: actor)
            let view = MessageView(
                request.frame("Removed"), ["The destination \(name) was removed, with all that waited for it."],
                link: PageLink("Back to the destinations", request.address(keeping: place.path)))
            return responses.html(view)
        default:
            throw Problem(.invalidBody, field: "do", rule: "must be pause, resume, retry-all, test or remove")
        }
        return try await page(request, try await self.stored(name), notices: [done])
    }

    /// The page that says what would be lost.
    private func askToRemove(_ request: PageRequest, _ stored: StoredDestination) async throws -> Response {
        let name = stored.destination.name
        let status = try await status(of: name)
        let target = address(request, of: name)
        func count(_ number: Int64) -> String { NumberText.decimal("\(number)", places: 0) }
        let lag = status.lagSeconds
        let view = ReportView(
            request.frame("Remove \(name)?"),
            introduction:
                "Nothing is removed yet. What was not delivered would not be sent any more, and days of the log that only "
                + "this destination keeps could be dropped. To stop it for a while, pause it. What was sent stays in "
                + "report_delivery, and the days of the log that are still there can be sent to a new destination.",
            tabs: [PageLink("Back, remove nothing", target)],
            facts: [
                Fact("Not sent yet", lag > 0 ? "events of the last \(NumberText.duration(seconds: lag))" : "nothing"),
                Fact("Deliveries that wait", count(status.waiting)), Fact("Dead letters", count(status.dead)),
                Fact("Replay", status.replay?.text ?? "none"),
            ],
            forms: [
                DestinationForms(stored, status, target: target, csrf: request.session.formToken)
                    .removal(plan: Self.digest(stored))
            ])
        return responses.html(view)
    }

    /// Sends one made-up postback, and shows what became of it.
    private func test(_ request: PageRequest, _ stored: StoredDestination) async throws -> Response {
        let name = stored.destination.name
        await trail.note(.destinationTest, of: "\(name)", by: request.actor)
        let report = await tests.send(to: stored.destination)
        let status = report.answer.map { "status \($0.status)" } ?? "no answer"
        let said = report.problem.map { "The test was not delivered: \($0)." } ?? "The test was delivered: \(status)."
        return try await page(
            request, stored, notices: [said],
            tried: report.request.map { AttemptText.blocks($0, answer: report.answer?.body, prefix: "test-") } ?? [])
    }
}
