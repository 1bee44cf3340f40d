package import PostbackStore
package import Testing

/// Gives each test, and each case of one, a database of its own, and a store over it: `TestDatabase.current`,
/// `PostbackStore.current`.
///
/// The database is dropped when the test ends. If a suite and a test have this trait, that of the test counts.
package struct DatabaseFixture: TestTrait, SuiteTrait, TestScoping, Equatable {
    let lanes: Int?
    let isMigrated: Bool
    let connections: Int
    let policy: ConversionPolicy
    let quarantineLimits: QuarantineLimits

    /// Every test of a suite, whatever suite it is in.
    package var isRecursive: Bool { true }

    /// Makes the database for one test.
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard test.traits.last(where: { $0 is Self }) as? Self == self, !TestDatabase.isProvided else {
            return try await function()
        }
        try await TestDatabase.with(migrated: isMigrated, lanes: lanes) { database in
            let store = try database.store(size: connections, policy: policy, quarantineLimits: quarantineLimits)
            try await TestDatabase.$current.withValue(database) {
                try await TestDatabase.$isProvided.withValue(true) {
                    try await PostbackStore.$current.withValue(store) { try await function() }
                }
            }
        }
    }
}

extension PostbackStore {
    /// The store of the trait `.database`; without it, one over a database that does not exist.
    @TaskLocal package static var current = TestDatabase.current.unconnectedStore
}

extension TestDatabase {
    /// Whether a test has a database of the trait `.database` already.
    @TaskLocal fileprivate static var isProvided = false

    fileprivate var unconnectedStore: PostbackStore {
        PostbackStore(pool: pool(size: 1), writers: writerPool(size: 1), cluster: nil)
    }
}

extension Trait where Self == DatabaseFixture {
    /// A migrated database of the test's own.
    package static var database: Self { .database() }

    /// A database of the test's own.
    ///
    /// - Parameters:
    ///   - lanes: How many lanes it has; nil if it is as `migrate` makes it.
    ///   - migrated: Whether it is more than an empty database.
    ///   - connections: The greatest number of connections of the store.
    ///   - policy: The store's policy.
    ///   - quarantineLimits: The store's limits of the quarantine.
    package static func database(
        lanes: Int? = nil, migrated: Bool = true, connections: Int = 4, policy: ConversionPolicy = .monotonic,
        quarantineLimits: QuarantineLimits = .init()
    ) -> Self {
        Self(
            lanes: lanes, isMigrated: migrated, connections: connections, policy: policy,
            quarantineLimits: quarantineLimits)
    }
}
