/// Asks again until there is an answer; the deadline is only there so that nothing hangs.
@discardableResult
package func eventually<Value>(
    _ what: String, seconds: Int = 300, _ body: () async throws -> Value?
) async throws -> Value {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < deadline {
        if let value = try await body() { return value }
        try await Task.sleep(for: .milliseconds(20))
    }
    throw TimedOut(what: what)
}

/// Something did not happen.
package struct TimedOut: Error {
    private let what: String

    /// Names what was waited for.
    package init(what: String) {
        self.what = what
    }
}
