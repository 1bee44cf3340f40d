package import AdAttribution
package import AppStoreData
package import LocalFiles

/// Everything that the folder of a key ring says: the key ring itself, and what is known of the App Store.
package struct KeyRingFolder: Sendable {
    /// Networks, apps and keys of postbacks.
    package var keyRing: KeyRing
    /// The apps, secrets and roots of App Store events; nil if none are taken.
    package let store: StoreTrust?
    /// What opens the App Store Server API, at most one for each app.
    package let storeAPI: [StoreAPICredentials]

    /// A key ring alone.
    package init(_ keyRing: KeyRing) {
        self.init(keyRing, store: nil, storeAPI: [])
    }

    /// All parts.
    package init(_ keyRing: KeyRing, store: StoreTrust?, storeAPI: [StoreAPICredentials]) {
        self.keyRing = keyRing
        self.store = store
        self.storeAPI = storeAPI
    }

    /// Reads `keyring.json` of a folder and the files that it names, relative to the folder.
    ///
    /// - Parameter files: Where each file is noted before it is read, also if this throws.
    /// - Throws: `KeyRingError`, as `KeyRing.init(folder:)` does. Also for a secret of the App Store that others may
    ///   read, and for a bundle id that stands twice.
    package init(_ folder: String, noting files: inout FileStamps) throws(KeyRingError) {
        var reader = KeyRingReader(folder: folder)
        defer { files = reader.files }
        let file = try reader.readKeyRing()
        let keyRing = try reader.keyRing(file)
        guard let entry = file.appStore else {
            self.init(keyRing)
            return
        }
        self.init(keyRing, store: try reader.storeTrust(entry), storeAPI: try reader.storeAPI(entry))
    }
}
