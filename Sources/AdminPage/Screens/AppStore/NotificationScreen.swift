import Access
import AdminAPI
import AppStoreData
import AppStoreEvents
import AuditTrail
import Encodings
import Hummingbird
import Observability
import PageFigures
import PageRequests
import PageViews
import PostbackIngest
import PostbackStore
import Reports

/// *Notifications*: what the App Store sent last, what was refused of it, and why.
struct NotificationScreen: PageScreen {
    let place = ScreenPlace(path: "/notifications", name: "Notifications", hasItems: true, changing: .operate)
    let store: PostbackStore
    let keyRing: KeyRingInForce
    let trail: Trail
    let clock: WallClock
    let responses: PageResponses

    func show(_ request: PageRequest) async throws -> Response {
        guard let item = request.item else { return try await list(request) }
        return try await detail(request, Self.key(item), notices: [])
    }

    func submit(_ request: PageRequest, _ form: PageForm) async throws -> Response {
        guard let item = request.item else { return try await verifyAll(request, form) }
        let key = try Self.key(item)
        let verifier = try verifier()
        guard
            let summary = try await store.reprocessNotification(
                key, verifier: verifier, now: clock.milliseconds())
        else { throw Problem.gone }
        await trail.note(
            .reprocessing, of: "notification \(Hexadecimal.text(key.prefix(8)))", by: request.actor, summary.counts)
        guard summary.refused + summary.failed == 0 else {
            return try await detail(request, key, notices: [Self.said(summary)])
        }
        let view = MessageView(
            request.frame("Verified again"), [Self.said(summary)],
            link: PageLink("Back to Notifications", address(place.path, of: request)))
        return responses.html(view)
    }

    /// What became of one notification.
    private static func said(_ summary: NotificationReprocessing) -> String {
        if summary.refused > 0 { return "The notification was verified again. It is still refused, and stays here." }
        if summary.failed > 0 {
            return "The notification was verified again. It passes now, but the database refused it, so it stays here."
        }
        let stored = summary.accepted > 0 ? "It is stored." : "It had been stored before, and is not stored twice."
        return "The notification passed, and left the quarantine. \(stored)"
    }

    /// What the button is called that verifies all refused notifications again.
    private static let allAction = "verify-all"

    /// Verifies all refused notifications again, as `PostbackServer reprocess` does.
    private func verifyAll(_ request: PageRequest, _ form: PageForm) async throws -> Response {
        guard form["do"] == Self.allAction else {
            throw Problem(.invalidBody, field: "do", rule: "must be \(Self.allAction)")
        }
        let verifier = try verifier()
        let summary = try await store.reprocessNotifications(verifier: verifier, now: clock.milliseconds())
        await trail.note(.reprocessing, of: "notifications", by: request.actor, summary.counts)
        let failed = summary.failed > 0 ? " Refused by the database: \(summary.failed)." : ""
        let view = MessageView(
            request.frame("Verified again"),
            [
                "All refused notifications were verified again. Stored now: \(summary.accepted). Stored before: "
                    + "\(summary.duplicates). Still refused: \(summary.refused).\(failed)"
            ],
            link: PageLink("Back to Notifications", request.address(keeping: place.path)))
        return responses.html(view)
    }

    /// What verifies with the present key ring.
    private func verifier() throws(Problem) -> SignedDataVerifier {
        guard let verifier = keyRing.current.store else {
            throw Problem(.conflict, field: "key ring", rule: "must name an app of the App Store")
        }
        return verifier
    }

    private static func key(_ text: String) throws(Problem) -> [UInt8] {
        guard let key = Hexadecimal.bytes(text), key.count == 32 else { throw Problem.notFound }
        return key
    }

    /// The address of the lists, or of one notification, with the filters of a request.
    private func address(_ path: String, of request: PageRequest) -> String {
        let filters = NotificationFilters(request.query)
        return filters.errors.isEmpty ? filters.address(path, []) : request.address(keeping: path)
    }

    private func list(_ request: PageRequest) async throws -> Response {
        let filters = NotificationFilters(request.query)
        guard filters.errors.isEmpty else {
            let view = ReportView(
                request.frame(place.name, errors: filters.errors), introduction: "", filters: filters.form(place.path))
            return responses.html(view)
        }
        let newest = NotificationLists.newest
        if let name = request["csv"] {
            let whole = NotificationLists.refused(filters, path: place.path, isWhole: true)
            let plan = name == newest.id ? newest : whole
            return PageResponses.csv(
                plan.csv(try await rows(plan.question)), name: name == newest.id ? name : "notifications_\(name)")
        }
        let refused = NotificationLists.refused(filters, path: place.path)
        let found = try await rows(refused.question)
        let shown = FigureRows(names: found.names, rows: Array(found.rows.prefix(NotificationLists.rowsOfPage)))
        var tabs: [PageLink] = []
        if filters.place != nil { tabs.append(PageLink("Newest", filters.address(place.path, []))) }
        if found.rows.count > shown.rows.count, let last = shown.texts("place").last.flatMap(\.self) {
            tabs.append(PageLink("Older", filters.address(place.path, [("before", last)])))
        }
        let address: ([(name: String, value: String?)]) -> String = { filters.address(place.path, $0) }
        var figures = [refused.view(shown, address: address)]
        if filters.place == nil {
            figures.insert(newest.view(try await rows(newest.question), address: address), at: 0)
        }
        let view = ReportView(
            request.frame(place.name),
            introduction:
                "What the App Store sent last, and what was refused of it. Customers are not named here. Choose a row "
                + "of what was refused to verify it again with the present key ring.",
            filters: filters.form(place.path), tabs: tabs,
            actions: [
                FormView(
                    id: Self.allAction,
                    hint:
                        "Stores what verifies now. Those with a wrong secret are left out. Refused postbacks are not "
                        + "touched: “PostbackServer reprocess” verifies both.",
                    target: request.address(keeping: place.path), csrf: request.session.formToken,
                    buttons: [FormButton("Verify all refused notifications again", Self.allAction)])
            ], figures: figures)
        return responses.html(view)
    }

    private func detail(_ request: PageRequest, _ key: [UInt8], notices: [String]) async throws -> Response {
        let found = try await rows(NotificationLists.one(key))
        guard let row = found.rows.first.map(found.members) else { throw Problem.gone }
        // A body has ids of customers, such as that which the app gives Apple.
        let body = request.may(.operate) ? row["body"].flatMap { Hexadecimal.bytes($0) } : nil
        let facts: [(label: String, name: String)] = [
            ("Reason", "reason"), ("Field", "field"), ("Rule", "rule"), ("App, as the body says", "bundle_id"),
            ("Type, as the body says", "type"), ("Genuine", "genuine"), ("Attempts", "attempts"),
        ]
        let times = [("First seen", "first_seen"), ("Last seen", "last_seen")].map { label, name in
            Fact(label, row[name].map { DayText.moment($0) + " UTC" } ?? "–")
        }
        let view = ReportView(
            request.frame("Refused notification"),
            back: PageLink("Back to Notifications", address(place.path, of: request)),
            introduction: "Why this notification is not counted.",
            notices: notices
                + (body == nil ? ["Its body has ids of customers. To see it takes the scope operate."] : []),
            facts: facts.map { Fact($0.label, row[$0.name] ?? "–") } + times,
            blocks: body.map { body in
                [
                    TextBlock(
                        id: "body", heading: "Body",
                        note: "\(body.count) bytes, without the shared secret; what is no UTF-8 is shown as U+FFFD.",
                        text: String(decoding: body, as: UTF8.self))
                ]
            } ?? [],
            forms: [
                FormView(
                    id: "verify",
                    hint:
                        "If it verifies now, it is stored with the time of its first receipt. Version 1 can't: its "
                        + "secret was not kept.",
                    target: address("\(place.path)/\(Hexadecimal.text(key))", of: request),
                    csrf: request.session.formToken, buttons: [FormButton("Verify this notification again", "verify")])
            ])
        return responses.html(view)
    }

    private func rows(_ question: FigureQuestion) async throws -> FigureRows {
        FigureRows(names: question.names, rows: try await store.readNow(question))
    }
}

extension Problem {
    /// 404: the row of the quarantine is not there.
    fileprivate static let gone = Problem(
        .notFound, field: "notification",
        rule: "is not in the quarantine any more; it was stored, or others took its place")
}
