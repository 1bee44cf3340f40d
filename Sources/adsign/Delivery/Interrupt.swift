import Foundation
import Synchronization

/// Set by the handler of the signal, which may do little else.
private let wasInterrupted = Atomic(false)

/// Whether the user pressed Ctrl-C.
///
/// The second time the program ends at once.
struct Interrupt: Sendable {
    /// Begins to listen.
    init() {
        wasInterrupted.store(false, ordering: .relaxed)
        signal(SIGINT) { _ in
            wasInterrupted.store(true, ordering: .relaxed)
            signal(SIGINT, SIG_DFL)
        }
    }

    /// Whether it happened.
    var happened: Bool { wasInterrupted.load(ordering: .relaxed) }
}
