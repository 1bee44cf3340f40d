import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import Archives
@testable import PostbackStore

@Suite(
    "What an archive is compared with", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason),
    .onEachDatabase)
struct ReconciledScopeTests {
    private let deliveries: Deliveries

    init() throws {
        deliveries = try Deliveries()
    }

    /// A postback of 3.0 that was received at so many milliseconds after `Deliveries.time`.
    private func one(
        at milliseconds: Int64, _ change: (inout TestPostback) -> Void = { _ in }
    ) throws -> PostbackDelivery {
        let postback = TestPostback {
            $0.version = "3.0"
            change(&$0)
        }
        let key = postback.version == "3.0" ? deliveries.keys.postbackKeyP256 : deliveries.keys.postbackKey
        return PostbackDelivery(
            try deliveries.keys.verified(postback.body(key)), receivedAt: OtherSide.time(milliseconds))
    }

    private func sides() throws -> (TestDatabase, PostbackStore, OtherSide) {
        let clock = OtherSide.time(100 * OtherSide.day)
        let database = TestDatabase.current
        // The log is written on the day of the clock of the machine.
        return (
            database, PostbackStore.current, OtherSide(database: database, store: try database.store(clock: { clock }))
        )
    }

    @Test(
        "A postback is missed in an archive only if its network and app are in it, and its time, and a copy is sent",
        .database)
    func onlyHere() async throws {
        let (database, store, other) = try sides()
        let (day, hour) = (OtherSide.day, OtherSide.hour)
        let first = try one(at: 0)
        let last = try one(at: 40 * day)
        let missing = [
            try one(at: hour), try one(at: 20 * day), try one(at: 20 * day + 1) { $0.campaignID = 7 },
            try one(at: 40 * day - hour),
        ]
        let others = [
            try one(at: -1), try one(at: 40 * day + 1), try one(at: 20 * day) { $0.appID = 7 },
            try one(at: 20 * day) { $0.adNetworkID = "com.example" },
        ]
        let notCopied = [try one(at: 20 * day) { $0.didWin = false }, try one(at: 20 * day) { $0.version = "1.0" }]
        #expect(try await store.record([first, last] + missing + others + notCopied).areAll(.accepted))
        let copies = try await other.reconcile([last, first])
        #expect(copies.side == .developer && copies.timesBy == .archive)
        #expect(copies.times == first.receivedAt...last.receivedAt)
        #expect(copies.counts == Agreement.Counts { ($0.matched, $0.onlyHere, $0.onlyHereAtEnd) = (2, 4, 2) })
        #expect(
            try await other.differences("outcome, transaction_id, campaign, at_end").sorted()
                == zip(missing, ["42 t", "42 f", "7 f", "42 t"]).map { "only_here \($0.transactionID) \($1)" }
                .sorted())
        let report = """
            SELECT concat_ws(' ', campaign, postbacks, matched, only_here, matched_share, only_here_share,
                             value_differs_share)
              FROM attribution.report_copy_agreement_all ORDER BY campaign
            """
        #expect(try await database.column(report) == ["42 5 2 3 0.4000 0.6000 0.0000", "7 1 0 1 0.0000 1.0000"])

        // A network has the postbacks without a copy too. Its archive has one of the two.
        let knowledge = ArchiveKnowledge(side: .network)
        let network = try await other.reconcile([last, first, notCopied[0]], knowing: knowledge)
        #expect(network.counts == Agreement.Counts { ($0.matched, $0.onlyHere, $0.onlyHereAtEnd) = (3, 5, 2) })

        // Somebody knows better which days it covers.
        let days = PostgresDate(OtherSide.time(20 * day))
        let given = try await other.reconcile([last, first], knowing: ArchiveKnowledge(days: days...days))
        #expect(given.timesBy == .option)
        #expect(given.counts == Agreement.Counts { ($0.matched, $0.onlyHere, $0.onlyHereAtEnd) = (2, 2, 2) })
    }

    @Test("If an archive has no times, it covers the time in which its postbacks were received here", .database)
    func noTimes() async throws {
        let (_, store, other) = try sides()
        let (first, last) = (try one(at: 0), try one(at: 5_000))
        let (between, after) = (try one(at: 2_000), try one(at: 6_000))
        #expect(try await store.record([first, last, between, after]).areAll(.accepted))
        let unknown = try one(at: 1)
        let agreement = try await other.reconcile([last, unknown, first], hasTimes: false)
        #expect(agreement.timesBy == .matches && agreement.times == first.receivedAt...last.receivedAt)
        #expect(
            agreement.counts
                == Agreement.Counts {
                    ($0.matched, $0.onlyHere, $0.onlyHereAtEnd, $0.onlyThere) = (2, 1, 1, 1)
                })
        #expect(
            try await other.differences("outcome, transaction_id, other_received_at, at_end") == [
                "only_there \(unknown.transactionID) f", "only_here \(between.transactionID) t",
            ])

        let nothing = try await other.reconcile([unknown], hasTimes: false)
        #expect(nothing.timesBy == .nothing && nothing.times == nil)
        #expect(nothing.counts == Agreement.Counts { $0.onlyThere = 1 })
    }

    @Test(
        "A postback is missed here from the first day of its network and app on, if Apple sends it to this side",
        .database)
    func onlyThere() async throws {
        let keys = try TestKeys(developerApps: [try #require(AppID(525_463_029))], otherNetworks: false)
        let day = OtherSide.day
        func one(at milliseconds: Int64, _ change: (inout TestPostback) -> Void = { _ in }) throws -> PostbackDelivery {
            let postback = TestPostback {
                $0.version = "3.0"
                $0.adNetworkID = "com.stranger"
                change(&$0)
            }
            let key = postback.version == "3.0" ? keys.postbackKeyP256 : keys.postbackKey
            return PostbackDelivery(try keys.verified(postback.body(key)), receivedAt: OtherSide.time(milliseconds))
        }
        let (database, store, other) = try sides()
        let here = try one(at: 0)
        #expect(try await store.record([here]).areAll(.accepted))
        let archive = [
            here, try one(at: -day), try one(at: 2 * day), try one(at: 95 * day),
            try one(at: 2 * day) { $0.didWin = false }, try one(at: 2 * day) { $0.version = "1.0" },
            // Nothing of this network was ever received here, so nothing tells when it began.
            try one(at: -day) { $0.adNetworkID = "com.stranger2" },
        ]
        let agreement = try await other.reconcile(archive)
        #expect(agreement.side == .network)
        #expect(
            agreement.counts
                == Agreement.Counts {
                    ($0.matched, $0.onlyThere, $0.onlyThereAtEnd) = (1, 3, 1)
                    ($0.notCopied, $0.beforeBegin) = (2, 1)
                })
        #expect(
            try await other.differences("outcome, file_line, at_end, developer_copy")
                == ["only_there 3 f t", "only_there 4 t t", "only_there 7 f t"])
        #expect(try await database.value("SELECT count(*) FROM attribution.report_copy_agreement_all") == "2")
    }

    @Test(
        "An archive that does not show whose it is, or has nothing of ours, is refused, and nothing is stored",
        .database)
    func refused() async throws {
        let keys = try TestKeys(developerApps: [try #require(AppID(525_463_029))])
        func one(_ network: String) throws -> PostbackDelivery {
            PostbackDelivery(
                try keys.verified(TestPostback { $0.adNetworkID = network }.body(keys.postbackKey)),
                receivedAt: OtherSide.time())
        }
        let (database, _, other) = try sides()
        let archive = [try one("com.stranger"), try one("com.example")]
        await #expect(throws: ReconciliationError.unknownSide) { _ = try await other.reconcile(archive) }
        await #expect(throws: ReconciliationError.nothingOfOurs) { _ = try await other.reconcile([]) }
        #expect(try await database.value("SELECT count(*) FROM attribution.reconciliation") == "0")
        #expect(try await other.reconcile(archive, knowing: ArchiveKnowledge(side: .developer)).postbacks == 2)
    }
}
