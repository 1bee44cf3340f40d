import BackgroundWork
import Logging
import PostbackStore

/// Folds as the server does, beside the writers.
final class StoreFolding: Sendable {
    private let task: Task<Void, Never>

    init(_ store: PostbackStore) {
        let folder = FoldingService(.figures, store: store, logger: Logger(label: "bench"))
        task = Task { await folder.fold() }
    }

    /// Ends it, and waits for a fold that is under way.
    func end() async {
        task.cancel()
        await task.value
    }
}
