package import Testing

/// Runs each test on a thread of its own, with all its child tasks.
///
/// For what is tested together with its time limits: requests that must be answered in time, leases that must be
/// renewed. On the threads that all tests share, a test can stand still for a minute between two steps.
package struct OwnThread: TestTrait, SuiteTrait, TestScoping {
    /// Every test of a suite, whatever suite it is in.
    package var isRecursive: Bool { true }

    /// Runs one test.
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let thread = TestThread("a test's own thread")
        defer { withExtendedLifetime(thread) {} }
        try await withTaskExecutorPreference(thread) { try await function() }
    }
}

extension Trait where Self == OwnThread {
    /// A thread of each test's own, so that other tests do not keep it from meeting time limits.
    package static var ownThread: Self { Self() }
}
