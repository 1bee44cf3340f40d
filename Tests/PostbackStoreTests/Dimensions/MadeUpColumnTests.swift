import PostbackSimulation
import TestSupport
import Testing

@testable import AdAttribution
@testable import EventLog
@testable import PostbackStore

@Suite("The column of a made-up field", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct MadeUpColumnTests {
    private let database = TestDatabase.current

    /// What a migration to the version with the field does.
    private static let migration = [
        "ALTER TABLE attribution.traits ADD COLUMN ad_placement smallint CHECK (ad_placement BETWEEN 0 AND 3)",
        "ALTER TABLE attribution.traits DROP CONSTRAINT traits_key",
        """
        ALTER TABLE attribution.traits ADD CONSTRAINT traits_key UNIQUE NULLS NOT DISTINCT (
            version, redownload, conversion_type, fidelity_type, ad_interaction_type, marketplace_identifier,
            country_code, ad_placement, relay_normalised, signing_key)
        """,
    ]

    @Test(
        "A row of the table of versions and a column are enough to store a new field and to read it from the log",
        .database)
    func stored() async throws {
        let keys = try TestKeys()
        let bodies = try keys.simulate(seed: 11, count: 60) {
            $0.versions = .withMadeUp
            $0.kinds = [.skAdNetwork(.madeUp), .skAdNetwork(.v4_0), .adAttributionKit]
        }
        let deliveries = try bodies.map { body in
            PostbackDelivery(
                try keys.verifier.verify(Postback(parsing: body, versions: .withMadeUp)),
                receivedAt: Deliveries.time)
        }
        let placements = deliveries.compactMap { $0.verified.postback.value(of: .adPlacement)?.integer }
        #expect(Set(placements) == [0, 1, 2, 3])
        for statement in Self.migration { try await database.run(statement) }
        try await database.withStore { original in
            var store = original
            store.versions = .withMadeUp
            for outcome in await store.record(deliveries) { #expect(try outcome.get() == .accepted) }
            // Once more from an empty cache: the rows are found again, with what is absent in some of them.
            store.dimensions = DimensionCache()
            for outcome in await store.record(deliveries) { #expect(try outcome.get() == .duplicate) }
            let page = try await store.events(after: .start, limit: 1_000)
            #expect(page.events.compactMap { $0.traits["ad_placement"]?.integer }.sorted() == placements.sorted())
        }
        let wrong = try await database.value(
            """
            SELECT count(*)
              FROM attribution.postback_state
              JOIN attribution.traits USING (traits)
              JOIN attribution.postback_body USING (lane, position, ordinal)
             WHERE traits.ad_placement::text IS DISTINCT FROM payload::json ->> 'ad-placement'
            """)
        #expect(wrong == "0")
        #expect(try await database.value("SELECT count(*) FROM attribution.postback_state") == "60")
    }
}
