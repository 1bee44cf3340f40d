package import Testing

/// Makes the databases of a suite at once; those of others wait until few are in use.
///
/// For suites that run their tests one after another, and so need few databases and much time.
package struct WithoutWaiting: TestTrait, SuiteTrait, TestScoping {
    /// Every test of a suite, whatever suite it is in.
    package var isRecursive: Bool { true }

    /// Runs one test.
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await TestDatabase.$waits.withValue(false) { try await function() }
    }
}

extension Trait where Self == WithoutWaiting {
    /// The databases of a suite whose tests run one after another are made at once.
    package static var withoutWaiting: Self { Self() }
}
