import TestSupport
import Testing

@testable import AdAttribution
@testable import PostbackStore

@Suite("The rule by which a value rises", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct RaiseRuleTests {
    private static let values: [ReportedConversionValue] =
        [.none] + (Int64(0)...63).compactMap { ConversionValue($0).map { .fine($0) } }
        + [CoarseConversionValue.low, .medium, .high].map { .coarse($0) }

    @Test(
        "The statement that counts and the rule in Swift agree over all pairs of values",
        arguments: ConversionPolicy.allCases)
    func allPairs(policy: ConversionPolicy) async throws {
        let pairs = Self.values.flatMap { held in Self.values.map { (held: held, offered: $0) } }
        #expect(pairs.count == 68 * 68)
        try await TestDatabase.with { database in
            let rows = try await database.column(Self.query(pairs, policy)).compactMap { $0.flatMap { Int16($0) } }
            let events = rows.map { DeliveryOutcome(event: $0) }
            try #require(events.count == pairs.count)
            for (pair, event) in zip(pairs, events) {
                let raises = RaiseRule.raises(pair.held, by: pair.offered)
                switch event {
                case .raised: #expect(raises && policy == .monotonic, "\(pair)")
                case .conflict:
                    #expect(raises ? policy == .first : pair.offered.isOfOtherKind(than: pair.held), "\(pair)")
                case .duplicate: #expect(!raises && !pair.offered.isOfOtherKind(than: pair.held), "\(pair)")
                case .accepted: Issue.record("\(pair): the key is known")
                }
                // A delivery of the first value was accepted, and one of the second value follows in the same batch.
                if let settled = RaiseRule.outcome(of: pair.offered, after: pair.held, .accepted) {
                    #expect(settled == event, "\(pair)")
                }
            }
        }
    }

    /// The events of all pairs, in order, by the branches that the statement has.
    private static func query(
        _ pairs: [(held: ReportedConversionValue, offered: ReportedConversionValue)], _ policy: ConversionPolicy
    ) -> String {
        let rows = pairs.enumerated().map { index, pair in
            "(\(index), \(StoredValue.number(pair.held)), \(StoredValue.number(pair.offered)))"
        }
        return """
            SELECT CASE \(RaiseRule.branches(policy)) ELSE \(CountingStatement.Event.duplicate) END
              FROM (VALUES \(rows.joined(separator: ", "))) AS pair (place, held, offered)
             CROSS JOIN LATERAL (SELECT held AS value, held AS first_value) AS stored
             CROSS JOIN LATERAL (SELECT offered AS value) AS delivery
             ORDER BY place
            """
    }
}

extension ReportedConversionValue {
    fileprivate func isOfOtherKind(than other: ReportedConversionValue) -> Bool {
        switch (self, other) {
        case (.fine, .coarse), (.coarse, .fine): true
        default: false
        }
    }
}
