package import AdAttribution
package import PostgresClient

/// Why an identifier can't be given out or retired.
package enum AllocationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Every identifier is mapped, cooling, or was seen lately.
    ///
    /// `until` is the last day of the first cool-down that ends; nil if none does.
    case noneFree(IdentifierSpace, until: PostgresDate?)
    /// The group that the identifier was to be in is not active.
    case noGroup(SourceIdentifier)
    /// Neither names were given, nor a group whose names could be taken.
    case noNames
    /// No row with this identifier is active.
    case notActive(Campaign)
    /// A row begins after the day that was to be its last.
    case notBegun(Campaign, PostgresDate)

    /// The reason in words.
    package var description: String {
        switch self {
        case .noneFree(let space, let until):
            "none of the \(space) is free"
                + (until.map { "; the first cool-down ends with \($0)" } ?? "; no cool-down is under way")
        case .noGroup(let group): "no active row of the mapping has the group \(group.text) that was to be around it"
        case .noNames: "a campaign id of the operator must be given"
        case .notActive(let campaign): "no active row of the mapping has the \(campaign.type) \(campaign.text)"
        case .notBegun(let campaign, let day):
            "the \(campaign.type) \(campaign.text) begins on \(day), after the day that was to be its last"
        }
    }
}
