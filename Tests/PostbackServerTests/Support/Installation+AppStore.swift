import TestSupport

extension Installation {
    /// Writes a key ring that takes notifications of an App Store of a test about some apps.
    ///
    /// - Parameter appID: The id of the first app in the App Store; nil for none.
    func take(_ store: TestAppStore, apps: [String] = [TestAppStore.bundleID], appID: Int64? = nil) throws {
        try write(store.rootPEM, to: "store-root.pem")
        try write(TestAppStore.secret, to: "store.secret", mode: 0o600)
        let list = apps.enumerated().map { place, app in
            let id = place == 0 ? appID.map { ", \"app-id\": \($0)" } ?? "" : ""
            return "{\"bundle-id\": \"\(app)\"\(id), \"shared-secret-file\": \"store.secret\"}"
        }
        let apps = "\"apps\": [\(list.joined(separator: ", "))], \"test-roots\": [\"store-root.pem\"]"
        try write(
            Self.keyRing.replacing("\"networks\": [", with: "\"app-store\": {\(apps)}, \"networks\": ["),
            to: "keyring.json")
    }
}
