import AdAttribution
import Encodings
import Foundation
import PageFigures
import PageViews
import PostgresClient
import Reports

/// The filters of *Refused*, as the address has them.
struct RefusedFilters: Sendable {
    /// A half of the quarantine.
    enum Half: String, CaseIterable {
        /// The bodies that Apple signed.
        case protected
        case other
    }

    /// A row of the list: the next page has what is behind it.
    struct Place: Sendable {
        /// When its body was seen last, in microseconds since 1970.
        let microseconds: Int64
        let key: [UInt8]

        /// Reads `MICROSECONDS-KEY`; nil if it is something else.
        init?(_ text: String) {
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, let microseconds = Int64(parts[0]), (0...Self.latest).contains(microseconds),
                let key = Hexadecimal.bytes(parts[1]), key.count == 32
            else { return nil }
            self.microseconds = microseconds
            self.key = key
        }

        /// The end of the year 9999, about.
        private static let latest: Int64 = 253_402_300_000_000_000
    }

    let reason: PostbackRejection.Reason?
    /// The name of the network, as on other screens.
    let network: String?
    let half: Half?
    let app: Int64?
    /// The campaign as the body has it.
    let identifier: String?
    let transactionID: String?
    /// The days on which the bodies were seen last; nil for no bound.
    let since: PostgresDate?
    let until: PostgresDate?
    /// The list begins behind this row; nil for the first page.
    let place: Place?
    /// What is wrong; then nothing is shown but this.
    let errors: [PageError]
    private let given: [String: String]
    private let kept: [(name: String, value: String)]

    /// Reads the parameters of an address.
    init(_ query: [(name: String, value: String)]) {
        var errors: [PageError] = []
        var given: [String: String] = [:]
        var kept: [(name: String, value: String)] = []
        func refuse(_ name: String, _ text: String) {
            // One mistake, one message.
            guard !errors.contains(where: { $0.field == name }) else { return }
            errors.append(PageError(text, field: name))
        }
        for (name, value) in query {
            if Self.others.contains(name) {
                kept.append((name, value))
            } else if !(Self.names + ["before", "csv"]).contains(name) {
                errors.append(PageError("“\(name.prefix(60))” is no filter of this screen."))
            } else if given.updateValue(value, forKey: name) != nil {
                refuse(name, "The filter “\(name)” is there twice.")
            }
        }
        reason = given["reason"].flatMap(PostbackRejection.Reason.init)
        half = given["half"].flatMap(Half.init)
        place = given["before"].flatMap { Place($0) }
        network = given["network"].flatMap { AdNetworkID($0)?.matchingForm }
        app = given["app"].flatMap { Int64($0).flatMap(AppID.init)?.value }
        identifier = given["identifier"].flatMap { $0.wholeMatch(of: /[0-9]{1,4}/) == nil ? nil : $0 }
        // Whoever copies one may copy a blank with it.
        transactionID = given["transaction"].flatMap { TransactionID($0.trimmingCharacters(in: .whitespaces))?.text }
        if given["reason"] != nil, reason == nil {
            let reasons = Self.reasons.map(\.rawValue).joined(separator: ", ")
            refuse("reason", "Reason must be one of \(reasons).")
        }
        if given["half"] != nil, half == nil {
            refuse("half", "“half” must be protected or other.")
        }
        if given["network"] != nil, network == nil {
            refuse("network", "Network must be \(AdNetworkID.rule).")
        }
        if given["app"] != nil, app == nil { errors.append(PageError("App must be \(AppID.rule).", field: "app")) }
        if given["identifier"] != nil, identifier == nil {
            errors.append(
                PageError("Campaign must be an identifier as received: one to four digits.", field: "identifier"))
        }
        if given["transaction"] != nil, transactionID == nil {
            errors.append(PageError("Transaction id must be \(TransactionID.rule).", field: "transaction"))
        }
        since = given["since"].flatMap { PostgresDate($0) }
        until = given["until"].flatMap { PostgresDate($0) }
        if given["since"] != nil, since == nil {
            refuse("since", "Last seen from must be \(PostgresDate.rule).")
        }
        if given["until"] != nil, until == nil {
            refuse("until", "Last seen to must be \(PostgresDate.rule).")
        }
        if let since, let until, since > until {
            refuse("since", "Last seen from must not be after the last day, \(until).")
        }
        if given["before"] != nil, place == nil {
            refuse("before", "“before” must be what this page gave.")
        }
        if let name = given["csv"], name != RefusedList.id {
            refuse("csv", "“csv” must be “\(RefusedList.id)”, not “\(name.prefix(40))”.")
        }
        self.errors = errors
        self.given = given
        self.kept = kept
    }

    /// The path of the screen.
    static let path = "/refused"

    /// The parameters that choose the bodies of a day, of all networks and apps, beside the filters of other screens.
    static func parameters(day: String) -> [(name: String, value: String?)] {
        [("network", nil), ("app", nil), ("since", day), ("until", day)]
    }

    /// Whether anything but the id of a transaction leaves bodies out.
    var isFilteringMore: Bool { Self.names.contains { $0 != "transaction" && given[$0] != nil } }

    /// The names of the filters.
    private static let names = ["transaction", "reason", "network", "app", "identifier", "half", "since", "until"]

    /// The filters of other screens: they are not used here, but stay in all addresses.
    private static let others = PageFilters.names.filter { !names.contains($0) }

    /// The reasons of bodies that are kept.
    private static let reasons = PostbackRejection.Reason.allCases.filter { $0 != .tooLarge }

    /// Whether some bodies are left out.
    var isFiltering: Bool { Self.names.contains { given[$0] != nil } }

    /// The filters as conditions on the quarantine.
    func conditions(_ values: inout StatementValues) -> String {
        var conditions: [String] = []
        if let reason { conditions.append("reason = \(values.bind(.text(reason.rawValue)))") }
        if let network {
            conditions.append(values.isOne("ad_network_id", of: AdNetworkID.identifiers(matching: network)))
        }
        if let half { conditions.append(half == .protected ? "protected" : "NOT protected") }
        if let app { conditions.append("advertised_app_id = \(values.bind(.integer(app)))") }
        if let identifier { conditions.append("campaign = \(values.bind(.text(identifier)))") }
        if let transactionID { conditions.append("transaction_id = \(values.bind(.text(transactionID)))::uuid") }
        if let since { conditions.append("last_seen_at >= attribution.day_begins(\(values.bind(.date(since))))") }
        if let until { conditions.append("last_seen_at < attribution.day_begins(\(values.bind(.date(until))) + 1)") }
        return conditions.isEmpty ? "true" : conditions.joined(separator: " AND ")
    }

    /// The address of a path with these filters, and other parameters.
    ///
    /// - Parameter changes: Parameters that are added or replaced.
    func address(_ path: String, _ changes: [(name: String, value: String?)]) -> String {
        let mine = Self.names.map { (name: $0, value: given[$0]) }
        return PageLink.address(path, mine + kept.map { ($0.name, $0.value) } + changes)
    }

    /// The form that changes the filters.
    func form(_ path: String) -> FilterForm {
        FilterForm(
            action: path,
            selects: [
                SelectField(
                    id: "reason", label: "Reason",
                    options: [("", "All reasons")] + Self.reasons.map { ($0.rawValue, $0.rawValue) },
                    chosen: reason?.rawValue ?? ""),
                SelectField(
                    id: "half", label: "Signed by Apple",
                    options: [("", "Yes or no"), (Half.protected.rawValue, "Yes"), (Half.other.rawValue, "No")],
                    chosen: half?.rawValue ?? ""),
            ],
            inputs: [
                input("transaction", "Transaction id"), input("network", "Network"), input("app", "App"),
                input("identifier", "Campaign, as received"), input("since", "Last seen from", isDay: true),
                input("until", "Last seen to", isDay: true),
            ], hidden: kept.map { Fact($0.name, $0.value) }, ranges: [], inForce: errors.isEmpty ? inForce : [])
    }

    /// The filters that are on, as people read them.
    private var inForce: [String] {
        let signed = half.map { $0 == .protected ? "signed by Apple" : "not signed by Apple" }
        let days: String? =
            switch (since, until) {
            case (let since?, let until?): DayText.range("\(since)", "\(until)")
            case (let since?, nil): "since \(since)"
            case (nil, let until?): "until \(until)"
            case (nil, nil): nil
            }
        return [
            reason?.rawValue, signed, given["transaction"], given["network"], given["app"], given["identifier"], days,
        ].compactMap(\.self)
    }

    private func input(_ name: String, _ label: String, isDay: Bool = false) -> TextField {
        TextField(id: name, label: label, isDay: isDay, content: given[name] ?? "")
    }
}
