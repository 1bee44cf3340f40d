package import AdAttribution
package import AppStoreData
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
        /// What verifies data of the App Store, with checked chains of this key ring alone; nil if none is taken.
        package let store: SignedDataVerifier?
        /// What opens the App Store Server API.
        package let storeAPI: [StoreAPICredentials]
        /// When it was read, in milliseconds since 1970.
        package let readAt: Int64

        /// The networks of the key ring, without suffix.
        package var networkNames: Set<String> { Set(keyRing.networks.map(\.adNetworkID.matchingForm)) }

        fileprivate init(_ folder: KeyRingFolder, readAt: Int64) {
            keyRing = folder.keyRing
            verifier = PostbackVerifier(keyRing: folder.keyRing)
            store = folder.store.map { SignedDataVerifier(trust: $0) }
            storeAPI = folder.storeAPI
            self.readAt = readAt
        }
    }

    private let files: FileBacked<Content>

    private init(files: FileBacked<Content>) {
        self.files = files
    }

    /// Reads the folder of a key ring, with what it says of the App Store.
    ///
    /// - Parameter read: Reads it, now and at each reload, and notes each file before it does.
    /// - Throws: What `read` throws.
    package static func folder(
        clock: WallClock = .system, read: @escaping @Sendable (inout FileStamps) throws -> KeyRingFolder
    ) throws -> KeyRingInForce {
        KeyRingInForce(files: try FileBacked { Content(try read(&$0), readAt: clock.milliseconds()) })
    }

    /// Reads a key ring alone.
    ///
    /// - Parameter read: Reads it, now and at each reload, and notes each file before it does.
    /// - Throws: What `read` throws.
    package init(
        clock: WallClock = .system, read: @escaping @Sendable (inout FileStamps) throws -> KeyRing
    ) throws {
        self = try .folder(clock: clock) { KeyRingFolder(try read(&$0)) }
    }

    /// The present one.
    package var current: Content { files.value }

    /// What reads it again.
    package var reloading: any Reloadable { files }
}
