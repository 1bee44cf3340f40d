import Synchronization

/// Tells the threads of connections that nobody wants their answers any more.
///
/// A thread that waits for the server looks at it ten times a second. So it needs no descriptor of its own.
final class Interruption: Sendable {
    /// How often a wait looks.
    static let interval: Int32 = 100

    private let flag = Atomic(false)

    /// Whether the waits must end.
    var isSet: Bool { flag.load(ordering: .relaxed) }

    /// Ends the waits, for good.
    func set() {
        flag.store(true, ordering: .relaxed)
    }
}
