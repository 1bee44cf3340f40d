import AdAttribution
import Encodings
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
    let network: String?
    let half: Half?
    /// The list begins behind this row; nil for the first page.
    let place: Place?
    /// What is wrong; then nothing is shown but this.
    let errors: [PageError]
    private let given: [String: String]

    /// Reads the parameters of an address.
    init(_ query: [(name: String, value: String)]) {
        var errors: [PageError] = []
        var given: [String: String] = [:]
        func refuse(_ name: String, _ text: String) {
            // One mistake, one message.
            guard !errors.contains(where: { $0.field == name }) else { return }
            errors.append(PageError(text, field: name))
        }
        for (name, value) in query {
            if !["reason", "network", "half", "before", "csv"].contains(name) {
                errors.append(PageError("“\(name.prefix(60))” is no filter of this screen."))
            } else if given.updateValue(value, forKey: name) != nil {
                refuse(name, "The filter “\(name)” is there twice.")
            }
        }
        reason = given["reason"].flatMap(PostbackRejection.Reason.init)
        half = given["half"].flatMap(Half.init)
        place = given["before"].flatMap { Place($0) }
        network = given["network"].flatMap { AdNetworkID($0)?.lowercased }
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
        if given["before"] != nil, place == nil {
            refuse("before", "“before” must be what this page gave.")
        }
        self.errors = errors
        self.given = given
    }

    /// The reasons of bodies that are kept.
    private static let reasons = PostbackRejection.Reason.allCases.filter { $0 != .tooLarge }

    /// Whether some bodies are left out.
    var isFiltering: Bool { reason != nil || network != nil || half != nil }

    /// The filters as conditions on the quarantine.
    func conditions(_ values: inout StatementValues) -> String {
        var conditions: [String] = []
        if let reason { conditions.append("reason = \(values.bind(.text(reason.rawValue)))") }
        if let network { conditions.append("ad_network_id = \(values.bind(.text(network)))") }
        if let half { conditions.append(half == .protected ? "protected" : "NOT protected") }
        return conditions.isEmpty ? "true" : conditions.joined(separator: " AND ")
    }

    /// The address of a path with these filters, and other parameters.
    ///
    /// - Parameter changes: Parameters that are added or replaced.
    func address(_ path: String, _ changes: [(name: String, value: String)]) -> String {
        let kept = ["reason", "network", "half"].map { (name: $0, value: given[$0]) }
        return PageRequest.address(path, kept + changes.map { ($0.name, $0.value) })
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
                TextField(id: "network", label: "Network", content: given["network"] ?? "")
            ], hidden: [], ranges: [])
    }
}
