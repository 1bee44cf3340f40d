import Synchronization

/// Bounds what guessing costs the server: a wrong token is answered after a second, and only a few wait at once.
///
/// A correct token is answered at once, so somebody who guesses locks nobody out. The token has 256 bits, so guessing it
/// is no danger.
final class SignInGate: Sendable {
    /// The greatest number of wrong tokens that wait for their answer.
    static let capacity = 8
    /// How long a wrong token waits.
    static let pause = Duration.seconds(1)

    private let waiting = Mutex(0)

    /// Whether another wrong token may wait now.
    var isOpen: Bool { waiting.withLock { $0 < Self.capacity } }

    /// Waits before a wrong token is answered.
    func delay() async {
        waiting.withLock { $0 += 1 }
        defer { waiting.withLock { $0 -= 1 } }
        try? await Task.sleep(for: Self.pause)
    }
}
