package import AdAttribution

/// The identifiers of which one is given out.
package struct IdentifierSpace: Sendable, Equatable, CustomStringConvertible {
    /// Whether they are campaign ids or source identifiers.
    package let type: CampaignType
    /// How many digits they have; nil for campaign ids.
    package let digits: Int?
    /// The group that they are in, as its last digits; nil if they are in none.
    package let around: SourceIdentifier?

    /// Campaign ids, 1 to 100.
    package static let campaignIDs = IdentifierSpace(type: .campaignID, digits: nil, around: nil)

    /// The last digits of source identifiers.
    ///
    /// - Parameters:
    ///   - digits: How many, 2 to 4.
    ///   - around: A group of fewer digits that they all end with.
    /// - Returns: nil if the numbers of digits do not fit.
    package static func groups(digits: Int, within around: SourceIdentifier? = nil) -> IdentifierSpace? {
        guard (2...4).contains(digits) else { return nil }
        if let around, !(2..<digits).contains(around.text.utf8.count) { return nil }
        return IdentifierSpace(type: .sourceIdentifier, digits: digits, around: around)
    }

    private init(type: CampaignType, digits: Int?, around: SourceIdentifier?) {
        self.type = type
        self.digits = digits
        self.around = around
    }

    /// The identifiers in words.
    package var description: String {
        guard let digits else { return "campaign ids" }
        return "groups of \(digits) digits" + (around.map { " within \($0.text)" } ?? "")
    }
}
