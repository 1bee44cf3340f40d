import Access
import AdAttribution
import AdminAPI
import AuditTrail
import Encodings
import Hummingbird
import Logging
import Observability
import PageFigures
import PageRequests
import PageViews
import PostbackIngest
import PostbackQuarantine
import PostbackStore
import PostgresClient
import Reports

/// *Refused*: the quarantine, and each of its bodies with what was wrong.
struct RefusedScreen: PageScreen {
    let place = ScreenPlace(path: RefusedFilters.path, name: "Refused", hasItems: true, changing: .operate)
    let store: PostbackStore
    let keyRing: KeyRingInForce
    let trail: Trail
    let responses: PageResponses
    let logger: Logger

    func show(_ request: PageRequest) async throws -> Response {
        guard let item = request.item else { return try await list(request) }
        return try await detail(request, Self.key(item), notices: [])
    }

    func submit(_ request: PageRequest, _ form: PageForm) async throws -> Response {
        guard let item = request.item else { throw Problem.notFound }
        let key = try Self.key(item)
        let reprocessing = QuarantineReprocessing(store: store, keyRing: keyRing.current.keyRing, logger: logger)
        guard let summary = try await reprocessing.run(key: key) else { throw Problem.gone }
        await trail.note(
            .reprocessing, of: "body \(Hexadecimal.text(key.prefix(8)))", by: request.actor, summary.counts)
        guard summary.refused + summary.failed == 0 else {
            return try await detail(request, key, notices: [Self.said(summary)])
        }
        let view = MessageView(
            request.frame("Verified again"), [Self.said(summary)],
            link: PageLink("Back to Refused", address(place.path, of: request)))
        return responses.html(view)
    }

    /// What became of one body.
    private static func said(_ summary: ReprocessingSummary) -> String {
        if summary.refused > 0 { return "The body was verified again. It is still refused, and stays here." }
        if summary.failed > 0 {
            return "The body was verified again. It passes now, but the database refused it, so it stays here."
        }
        let counted =
            if summary.accepted > 0 {
                "It is counted as a new postback."
            } else if summary.raised > 0 {
                "It raised the value of a postback that was known."
            } else {
                "The postback was known, and nothing is counted twice."
            }
        return "The body passed, and left the quarantine. \(counted)"
    }

    private static func key(_ text: String) throws(Problem) -> [UInt8] {
        guard let key = Hexadecimal.bytes(text), key.count == 32 else { throw Problem.notFound }
        return key
    }

    private static func moment(_ time: PostgresTimestamp) -> String {
        DayText.moment(LogTimestamp(milliseconds: time.millisecondsSince1970).rfc3339) + " UTC"
    }

    /// The address of the list, or of one of its bodies, with the filters of a request.
    private func address(_ path: String, of request: PageRequest) -> String {
        let filters = RefusedFilters(request.query)
        return filters.errors.isEmpty ? filters.address(path, []) : request.address(keeping: path)
    }

    private func list(_ request: PageRequest) async throws -> Response {
        let filters = RefusedFilters(request.query)
        guard filters.errors.isEmpty else {
            let view = ReportView(
                request.frame(place.name, errors: filters.errors), introduction: "", filters: filters.form(place.path))
            return responses.html(view)
        }
        let counts = try await count(filters)
        if request["csv"] != nil {
            let plan = RefusedList.whole(filters, counts, path: place.path)
            return PageResponses.csv(plan.csv(try await rows(plan.question)), name: plan.id)
        }
        let plan = RefusedList.page(filters, counts, path: place.path)
        let page = RefusedList.Page(try await rows(plan.question))
        var tabs: [PageLink] = []
        if filters.place != nil { tabs.append(PageLink("Newest", filters.address(place.path, []))) }
        if let next = page.next { tabs.append(PageLink("Older", filters.address(place.path, [("before", next)]))) }
        let view = ReportView(
            request.frame(place.name),
            introduction:
                "Bodies that were refused and kept. Choose one to see the exact text that was checked, and to "
                + "verify it again with the present key ring.",
            filters: filters.form(place.path), tabs: tabs,
            figures: [plan.view(page.rows) { filters.address(place.path, $0) }])
        return responses.html(view)
    }

    private func count(_ filters: RefusedFilters) async throws -> RefusedList.Counts {
        RefusedList.Counts(try await rows(RefusedList.count(filters)))
    }

    private func rows(_ question: FigureQuestion) async throws -> FigureRows {
        FigureRows(names: question.names, rows: try await store.readNow(question))
    }

    private func detail(_ request: PageRequest, _ key: [UInt8], notices: [String]) async throws -> Response {
        guard let refused = try await store.refusedBody(key) else { throw Problem.gone }
        let body = refused.body
        var blocks = [
            TextBlock(
                id: "body", heading: "Body",
                note: "\(body.count) bytes as received; bytes that are no UTF-8 are shown as U+FFFD.",
                text: String(decoding: body, as: UTF8.self))
        ]
        if let message = refused.checkedMessage {
            blocks.append(
                TextBlock(
                    id: "checked", heading: "The exact string that was checked",
                    note: "The separator U+2063 is shown as ·. The SHA-256 is that of the bytes.",
                    text: String(decoding: message, as: UTF8.self).replacing("\u{2063}", with: "·")))
            blocks.append(TextBlock(id: "bytes", heading: "Its bytes", text: Hexadecimal.text(message)))
            blocks.append(
                TextBlock(id: "digest", heading: "Its SHA-256", text: Hexadecimal.text(SHA256.digest(message))))
        }
        let view = ReportView(
            request.frame("Refused body"), back: PageLink("Back to Refused", address(place.path, of: request)),
            introduction: "Why this body is not counted.", notices: notices,
            facts: [
                Fact("Reason", refused.reason), Fact("Field", refused.field ?? "–"), Fact("Rule", refused.detail),
                Fact("Network, as the body says", refused.adNetworkID ?? "–"),
                Fact("App, as the body says", refused.advertisedAppID.map { "\($0)" } ?? "–"),
                Fact("Campaign, as the body says", refused.campaign ?? "–"),
                Fact("Transaction, as the body says", refused.transactionID ?? "–"),
                Fact("Signed by Apple", refused.isProtected ? "yes" : "no"), Fact("Attempts", "\(refused.attempts)"),
                Fact("First seen", Self.moment(refused.firstSeenAt)),
                Fact("Last seen", Self.moment(refused.lastSeenAt)),
                Fact("User-Agent", refused.userAgent ?? "–"),
            ], blocks: blocks,
            forms: [
                FormView(
                    id: "verify", hint: "If it verifies now, it is counted on the day of its first receipt.",
                    target: address("\(place.path)/\(Hexadecimal.text(key))", of: request),
                    csrf: request.session.formToken,
                    buttons: [FormButton("Verify this body again", "verify")])
            ])
        return responses.html(view)
    }
}

extension Problem {
    /// 404: the row of the quarantine is not there.
    fileprivate static let gone = Problem(
        .notFound, field: "body", rule: "is not in the quarantine any more; it was counted, or others took its place")
}
