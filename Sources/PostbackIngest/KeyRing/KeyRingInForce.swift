package import AdAttribution
package import LocalFiles
package import Observability

/// The key ring in force.
///
/// A key ring never changes. A reload replaces it as a whole, and each request reads it once. So a request goes by one
/// key ring from beginning to end, and none waits for a reload.
package struct KeyRingInForce: Sendable {
    /// One key ring, and what is made of it.
    package final class Content: Sendable {
        /// The key ring.
        package let keyRing: KeyRing
        /// The verifier with its keys.
        package let verifier: PostbackVerifier
        /// When it was read, in milliseconds since 1970.
        package let readAt: Int64

        fileprivate init(_ keyRing: KeyRing, readAt: Int64) {
            self.keyRing = keyRing
            verifier = PostbackVerifier(keyRing: keyRing)
            self.readAt = readAt
        }
    }

    private let files: FileBacked<Content>

    /// Reads the key ring.
    ///
    /// - Parameter read: Reads it, now and at each reload, and notes each file before it does.
    /// - Throws: What `read` throws.
    package init(
        clock: WallClock = .system, read: @escaping @Sendable (inout FileStamps) throws -> KeyRing
    ) throws {
        files = try FileBacked { Content(try read(&$0), readAt: clock.milliseconds()) }
    }

    /// The present one.
    package var current: Content { files.value }

    /// What reads it again.
    package var reloading: any Reloadable { files }
}
