import Synchronization
import Testing

/// What is undone when the scope of a test's database ends, the last first: stores are closed, servers are killed.
package final class Teardown: Sendable {
    private let actions = Mutex<[@Sendable () async throws -> Void]>([])

    @TaskLocal private static var current: Teardown?

    /// Undoes something when the innermost scope ends.
    package static func add(_ action: @escaping @Sendable () async throws -> Void) throws {
        let current = try #require(current, "only the scope of a TestDatabase undoes something")
        current.actions.withLock { $0.append(action) }
    }

    /// Runs a body as a scope.
    ///
    /// - Throws: What the body throws, or the first failure of what is undone.
    static func scope<T>(_ body: () async throws -> T) async throws -> T {
        let teardown = Teardown()
        var result: Result<T, any Error>
        do {
            result = .success(try await $current.withValue(teardown) { try await body() })
        } catch {
            result = .failure(error)
        }
        while let action = teardown.actions.withLock({ $0.popLast() }) {
            do { try await action() } catch {
                if case .success = result { result = .failure(error) }
            }
        }
        return try result.get()
    }
}
