import Synchronization

/// The named tokens that are in force; another ring may take its place at any time.
package final class CurrentTokens: Sendable {
    private let current: Mutex<TokenRing>

    /// Begins with a ring.
    package init(_ ring: TokenRing = TokenRing()) { current = Mutex(ring) }

    /// The ring in force.
    package var ring: TokenRing { current.withLock { $0 } }

    /// Puts another ring in force.
    ///
    /// - Returns: Whether it differs from the one before.
    package func replace(with ring: TokenRing) -> Bool {
        current.withLock { current in
            guard current != ring else { return false }
            current = ring
            return true
        }
    }
}
