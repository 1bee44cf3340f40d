import Synchronization

/// Bounds how fast tokens can be guessed: a wrong one is answered after a second, and only a few wait at once.
///
/// A correct token is answered at once. So somebody who guesses can't lock anybody out for longer than that second.
final class SignInGate: Sendable {
    /// The greatest number of wrong tokens that wait for their answer.
    static let capacity = 8
    /// How long a wrong token waits.
    static let pause = Duration.seconds(1)

    private let waiting = Mutex(0)

    /// Whether another token may be tried now.
    var isOpen: Bool { waiting.withLock { $0 < Self.capacity } }

    /// Waits before a wrong token is answered.
    func delay() async {
        waiting.withLock { $0 += 1 }
        defer { waiting.withLock { $0 -= 1 } }
        try? await Task.sleep(for: Self.pause)
    }
}
