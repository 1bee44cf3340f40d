import PostbackStore
import PostgresClient
import TestSupport
import Testing

@testable import AppStoreEvents

@Suite("Versions of a transaction", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct StoreVersionTests {
    private struct Pair: Sendable {
        let stored: StoreVersion
        let offered: StoreVersion
    }

    private static let times: [PostgresTimestamp?] = [nil, MadeUpStore.time(0), MadeUpStore.time(1)]
    private static let digests = [[UInt8](repeating: 0x7F, count: 32), [UInt8](repeating: 0x80, count: 32)]

    private static let signed = times.compactMap(\.self).flatMap { signedAt in
        times.flatMap { revokedAt in
            digests.map { StoreVersion(signedAt: signedAt, revokedAt: revokedAt, payloadSHA256: $0) }
        }
    }
    private static let versions =
        signed + times.map { StoreVersion(signedAt: nil, revokedAt: $0, payloadSHA256: nil) }

    private static let columns: [StoreColumn<Pair>] = [
        .time("a") { $0.stored.signedAt }, .time("b") { $0.stored.revokedAt }, .bytes("c") { $0.stored.payloadSHA256 },
        .time("d") { $0.offered.signedAt }, .time("e") { $0.offered.revokedAt },
        .bytes("f") { $0.offered.payloadSHA256 },
    ]

    @Test("Swift and SQL decide alike about all pairs")
    func pairs() async throws {
        let pairs = Self.versions.flatMap { stored in Self.versions.map { Pair(stored: stored, offered: $0) } }
        let statement = PostgresStatement(
            "test_replaces",
            "SELECT attribution.store_replaces(a, b, c, d, e, f) FROM \(Self.columns.rows()) ORDER BY ordinal")
        let bindings = Self.columns.bindings(pairs)
        let decided = try await PostbackStore.current.pool.withConnection { connection in
            try connection.query(statement, bindings).map { try $0.decode(Bool.self, at: 0) }
        }
        #expect(decided.count == pairs.count)
        for (pair, decision) in zip(pairs, decided) {
            #expect(pair.stored.isReplaced(by: pair.offered) == decision, "\(pair)")
        }
    }

    @Test("Between two of V1 the one that knows of a later time stays; between others that does not matter")
    func known() {
        func version(_ signedAt: Int64?, knownAt second: Int64?, changedAt change: Int64? = nil) -> StoreVersion {
            StoreVersion(
                signedAt: signedAt.map(MadeUpStore.time), revokedAt: nil, payloadSHA256: nil,
                knownAt: second.map(MadeUpStore.time), renewalChangedAt: change.map(MadeUpStore.time))
        }
        #expect(version(nil, knownAt: 1).isReplaced(by: version(nil, knownAt: 2)))
        #expect(version(nil, knownAt: 1).isReplaced(by: version(nil, knownAt: 1)))
        #expect(!version(nil, knownAt: 2).isReplaced(by: version(nil, knownAt: 1)))
        #expect(!version(nil, knownAt: 2).isReplaced(by: version(nil, knownAt: nil)))
        #expect(version(nil, knownAt: nil).isReplaced(by: version(nil, knownAt: 1)))
        // The change decides only between two that state it, after the same purchase.
        #expect(!version(nil, knownAt: 1, changedAt: 6).isReplaced(by: version(nil, knownAt: 1, changedAt: 5)))
        #expect(version(nil, knownAt: 1, changedAt: 5).isReplaced(by: version(nil, knownAt: 1, changedAt: 5)))
        #expect(version(nil, knownAt: 1, changedAt: 5).isReplaced(by: version(nil, knownAt: 1)))
        #expect(version(nil, knownAt: 1).isReplaced(by: version(nil, knownAt: 1, changedAt: 5)))
        #expect(version(nil, knownAt: 1, changedAt: 6).isReplaced(by: version(nil, knownAt: 2, changedAt: 5)))
        #expect(version(nil, knownAt: 2).isReplaced(by: version(1, knownAt: nil)))
        #expect(!version(1, knownAt: nil).isReplaced(by: version(nil, knownAt: 2)))
    }

    @Test("Signed versions end at the same one in any order")
    func anyOrder() {
        func last(_ versions: [StoreVersion]) -> StoreVersion? {
            versions.dropFirst().reduce(versions.first) { stored, offered in
                stored?.isReplaced(by: offered) == true ? offered : stored
            }
        }
        for first in Self.signed {
            for second in Self.signed {
                // Versions that differ in their refund alone have other digests in truth.
                guard first.signedAt != second.signedAt || first.payloadSHA256 != second.payloadSHA256 else { continue }
                #expect(last([first, second]) == last([second, first]))
                #expect(last([first, second, first]) == last([first, second]))
            }
        }
    }
}
