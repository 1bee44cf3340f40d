package import Testing

/// Runs each test twice: with databases on plain PostgreSQL, and with distributed ones on the Citus cluster.
///
/// Without a cluster it runs on plain PostgreSQL only. `ClusterTests` is skipped then, and says why.
package struct EachDatabase: TestTrait, SuiteTrait, TestScoping {
    /// Every test of a suite, whatever suite it is in.
    package var isRecursive: Bool { true }

    /// Runs one test on each kind of database.
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await function()
        guard TestEnvironment.hasCluster, !test.traits.contains(where: { $0 is PlainDatabase }) else { return }
        await TestDatabase.$isDistributed.withValue(true) {
            do { try await function() } catch {
                Issue.record(error, "on the cluster")
            }
        }
    }
}

/// Leaves a test of such a suite out on the cluster.
package struct PlainDatabase: TestTrait {
    /// Why it can't run there.
    package let comments: [Comment]
}

extension Trait where Self == PlainDatabase {
    /// On plain PostgreSQL only, and why.
    package static func onPlainDatabase(_ reason: Comment) -> Self { Self(comments: [reason]) }
}

extension Trait where Self == EachDatabase {
    /// On plain PostgreSQL and, if there is one, on a Citus cluster.
    package static var onEachDatabase: Self { Self() }
}
