import Synchronization

/// Tells a sender to stop.
///
/// The sender looks at it about ten times a second.
final class SenderControl: Sendable {
    private let stopping = Atomic(false)

    /// Whether the sender is to finish what is under way, and to begin nothing more.
    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Tells it to stop.
    func stop() { stopping.store(true, ordering: .relaxed) }
}
