import PostbackStore

/// Folds every five seconds, as the server does beside its writers.
final class StoreFolding: Sendable {
    private let task: Task<Void, Never>

    init(_ store: PostbackStore) {
        task = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(5))
                _ = try? await store.fold()
            }
        }
    }

    /// Ends it, and waits for a fold that is under way.
    func end() async {
        task.cancel()
        await task.value
    }
}
