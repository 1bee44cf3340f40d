package import Testing

/// Runs tests that compute for seconds on a thread of their own, one at a time.
///
/// On the threads that all tests share they would keep others waiting beyond their time limits.
package struct HeavyWork: TestTrait, SuiteTrait, TestScoping {
    private static let thread = TestThread("heavy tests")

    /// Every test of a suite, whatever suite it is in.
    package var isRecursive: Bool { true }

    /// Lends the thread to one test.
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Self.thread) { try await function() }
    }
}

extension Trait where Self == HeavyWork {
    /// Seconds of computing: on a thread of its own, one test at a time.
    package static var heavyWork: Self { Self() }
}
