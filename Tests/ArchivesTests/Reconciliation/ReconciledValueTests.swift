import TestSupport
import Testing

@testable import AdAttribution
@testable import Archives
@testable import PostbackStore

@Suite(
    "The values of copies and originals", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason),
    .onEachDatabase, .database)
struct ReconciledValueTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    /// The values that were delivered here and there, in order, and what that is.
    struct Case: Sendable {
        let here: [ReportedConversionValue]
        let there: [ReportedConversionValue]
        let outcome: String

        init(_ here: [ReportedConversionValue], _ there: [ReportedConversionValue], _ outcome: String) {
            self.here = here
            self.there = there
            self.outcome = outcome
        }
    }

    private static let cases: [Case] = [
        Case([.fine(5)], [.fine(5)], "same"),
        Case([.none], [.none, .none], "same"),
        Case([.fine(5), .fine(9)], [.fine(9)], "same"),
        Case([.fine(5), .fine(9)], [.fine(9), .fine(5)], "same"),
        Case([.fine(5), .coarse(.high)], [.fine(5)], "same"),
        // The value that was here before a raise.
        Case([.fine(5), .fine(9)], [.fine(5)], "raised_here higher here 9/5"),
        Case([.none, .fine(9)], [.none], "raised_here none there 9/"),
        Case([.fine(0), .fine(5), .fine(9)], [.fine(0)], "raised_here higher here 9/0"),
        Case([.fine(0), .fine(5), .fine(9)], [.fine(5)], "raised_here higher here 9/5"),
        Case([.none, .coarse(.low), .coarse(.high)], [.coarse(.low)], "raised_here higher here high/low"),
        // Between the first value and the one before the last raise: the state does not tell, so nobody is accused.
        Case([.fine(0), .fine(3), .fine(5), .fine(9)], [.fine(3)], "raised_here higher here 9/3"),
        Case([.fine(0), .fine(3), .fine(5), .fine(9)], [.fine(2)], "raised_here higher here 9/2"),
        Case([.fine(0), .fine(3), .fine(5), .fine(9)], [.fine(7)], "value_differs higher here 9/7"),
        // The archive has it, and more.
        Case([.fine(5)], [.fine(5), .fine(9)], "raised_there higher there 5/9"),
        Case([.none], [.none, .coarse(.low)], "raised_there none here /low"),
        Case([.fine(5)], [.fine(9), .fine(5), .fine(7)], "raised_there higher there 5/9"),
        // Somebody changed one.
        Case([.fine(5)], [.fine(9)], "value_differs higher there 5/9"),
        Case([.fine(9)], [.fine(5)], "value_differs higher here 9/5"),
        Case([.fine(63)], [.fine(0)], "value_differs higher here 63/0"),
        Case([.none], [.fine(0)], "value_differs none here /0"),
        Case([.fine(0)], [.none], "value_differs none there 0/"),
        Case([.fine(5)], [.coarse(.high)], "value_differs other kind 5/high"),
        Case([.coarse(.low)], [.fine(63)], "value_differs other kind low/63"),
        Case([.coarse(.medium)], [.coarse(.high)], "value_differs higher there medium/high"),
        Case([.fine(5), .fine(9)], [.fine(5), .fine(7)], "value_differs higher here 9/7"),
        Case([.none, .fine(9)], [.fine(5)], "value_differs higher here 9/5"),
    ]

    @Test("Values agree if they are one value or a raise explains them, and differ otherwise")
    func values() async throws {
        let deliveries = try Deliveries()
        var there: [PostbackDelivery] = []
        var expected: [String] = []
        for each in Self.cases {
            let offers = try deliveries.ofOnePostback(each.here + each.there)
            // One after the other, since a batch would count several deliveries in one round.
            for offer in offers.prefix(each.here.count) { _ = await store.record([offer]) }
            there += offers.suffix(each.there.count)
            if each.outcome != "same" { expected.append(each.outcome) }
        }
        let agreement = try await OtherSide(database: database, store: store).reconcile(there)
        let rows = try await OtherSide(database: database, store: store).differences(
            """
            outcome, value_difference, concat(coalesce(conversion_value::text, coarse_value), '/',
                                              coalesce(other_conversion_value::text, other_coarse_value))
            """)
        #expect(rows == expected)
        func count(_ outcome: String) -> Int64 {
            Int64(Self.cases.count { $0.outcome.hasPrefix(outcome) })
        }
        let expectedCounts = Agreement.Counts {
            $0.matched = Int64(Self.cases.count) - count("value_differs")
            $0.raisedHere = count("raised_here")
            $0.raisedThere = count("raised_there")
            $0.valueDiffers = count("value_differs")
            $0.higherHere = count("value_differs higher here")
            $0.higherThere = count("value_differs higher there")
        }
        #expect(agreement.counts == expectedCounts)
        #expect(agreement.postbacks == Int64(Self.cases.count))
        // The sums of the report are those of the run.
        let report = """
            SELECT concat_ws(' ', matched, value_differs, postbacks) FROM attribution.report_copy_agreement_all
            """
        #expect(
            try await database.column(report)
                == ["\(agreement.counts.matched) \(agreement.counts.valueDiffers) \(Self.cases.count)"])
    }

    @Test(
        "Under the policy that keeps the first value, an archive that has a raise too agrees with it",
        .database(policy: .first))
    func firstPolicy() async throws {
        let deliveries = try Deliveries().ofOnePostback([.fine(5), .fine(9)])
        for delivery in deliveries { _ = await store.record([delivery]) }
        let other = OtherSide(database: database, store: store)
        let both = try await other.reconcile(deliveries)
        #expect(both.counts == Agreement.Counts { ($0.matched, $0.raisedThere) = (1, 1) })
        let last = try await other.reconcile(Array(deliveries.suffix(1)))
        #expect(last.counts == Agreement.Counts { ($0.valueDiffers, $0.higherThere) = (1, 1) })
    }

    @Test("A postback with another signed field is not the same one, though its key is")
    func signedFields() async throws {
        let deliveries = try Deliveries()
        let changes: [@Sendable (inout TestPostback) -> Void] = [
            { $0.campaignID = 43 }, { $0.appID = 1 }, { $0.sourceAppID = nil }, { $0.sourceAppID = 7 },
            { $0.redownload = true },
        ]
        var there: [PostbackDelivery] = []
        for change in changes {
            let original = try deliveries.one()
            _ = await store.record([original])
            there.append(
                try deliveries.one {
                    $0.transactionID = original.transactionID
                    change(&$0)
                })
        }
        // The country is not signed.
        let original = try deliveries.one()
        _ = await store.record([original])
        there.append(
            try deliveries.one {
                $0.transactionID = original.transactionID
                $0.unsigned = ["country-code": #""DE""#]
            })
        let other = OtherSide(database: database, store: store)
        let agreement = try await other.reconcile(there)
        #expect(agreement.counts == Agreement.Counts { ($0.matched, $0.signedDiffers) = (1, 5) })
        #expect(try await other.differences() == Array(repeating: "signed_differs", count: 5))
    }
}
