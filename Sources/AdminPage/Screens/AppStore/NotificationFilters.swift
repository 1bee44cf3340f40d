import AppStoreData
import PageFigures
import PageViews
import Reports

/// The filters of *Notifications*, as the address has them; they are about what was refused.
struct NotificationFilters: Sendable {
    let reason: SignedDataError.Reason?
    let half: RefusedFilters.Half?
    /// The list begins behind this row; nil for the first page.
    let place: RefusedFilters.Place?
    /// What is wrong; then nothing is shown but this.
    let errors: [PageError]
    /// The filters of other screens: they are not used here, but stay in all addresses.
    private let kept: [(name: String, value: String)]

    /// Reads the parameters of an address.
    init(_ query: [(name: String, value: String)]) {
        var errors: [PageError] = []
        var given: [String: String] = [:]
        kept = query.filter { PageFilters.names.contains($0.name) }
        for (name, value) in query where !PageFilters.names.contains(name) {
            if !["reason", "half", "before", "csv"].contains(name) {
                errors.append(PageError("“\(name.prefix(60))” is no filter of this screen."))
            } else if given.updateValue(value, forKey: name) != nil {
                errors.append(PageError("The filter “\(name)” is there twice.", field: name))
            }
        }
        reason = given["reason"].flatMap(SignedDataError.Reason.init)
        half = given["half"].flatMap(RefusedFilters.Half.init)
        place = given["before"].flatMap { RefusedFilters.Place($0) }
        if given["reason"] != nil, reason == nil {
            let reasons = Self.reasons.map(\.rawValue).joined(separator: ", ")
            errors.append(PageError("Reason must be one of \(reasons).", field: "reason"))
        }
        if given["half"] != nil, half == nil {
            errors.append(PageError("“half” must be protected or other.", field: "half"))
        }
        if given["before"] != nil, place == nil {
            errors.append(PageError("“before” must be what this page gave.", field: "before"))
        }
        if let name = given["csv"], ![NotificationLists.newestID, NotificationLists.refusedID].contains(name) {
            errors.append(
                PageError(
                    "“csv” must be \(NotificationLists.newestID) or \(NotificationLists.refusedID), not "
                        + "“\(name.prefix(40))”.", field: "csv"))
        }
        self.errors = errors
    }

    /// The reasons of bodies that are kept.
    private static let reasons = SignedDataError.Reason.allCases.filter { $0 != .tooLarge }

    /// Whether some rows are left out.
    var isFiltering: Bool { reason != nil || half != nil }

    /// The filters as conditions on the quarantine of notifications.
    func conditions(_ values: inout StatementValues) -> String {
        var conditions: [String] = []
        if let reason { conditions.append("reason = \(values.bind(.text(reason.rawValue)))") }
        if let half { conditions.append(half == .protected ? "protected" : "NOT protected") }
        return conditions.isEmpty ? "true" : conditions.joined(separator: " AND ")
    }

    /// The address of a path with these filters, and other parameters.
    func address(_ path: String, _ changes: [(name: String, value: String?)]) -> String {
        let mine: [(name: String, value: String?)] = [("reason", reason?.rawValue), ("half", half?.rawValue)]
        return PageLink.address(path, mine + kept.map { ($0.name, $0.value) } + changes)
    }

    /// The filters that are on, as people read them.
    private var inForce: [String] {
        [reason?.rawValue, half.map { $0 == .protected ? "genuine" : "not genuine" }].compactMap(\.self)
    }

    /// The form that changes the filters.
    func form(_ path: String) -> FilterForm {
        FilterForm(
            action: path,
            selects: [
                SelectField(
                    id: "reason", label: "Reason of what was refused",
                    options: [("", "All reasons")] + Self.reasons.map { ($0.rawValue, $0.rawValue) },
                    chosen: reason?.rawValue ?? ""),
                SelectField(
                    id: "half", label: "Genuine",
                    options: [
                        ("", "Yes or no"), (RefusedFilters.Half.protected.rawValue, "Yes"),
                        (RefusedFilters.Half.other.rawValue, "No"),
                    ], chosen: half?.rawValue ?? ""),
            ], inputs: [], hidden: kept.map { Fact($0.name, $0.value) }, ranges: [],
            inForce: errors.isEmpty ? inForce : [])
    }
}
