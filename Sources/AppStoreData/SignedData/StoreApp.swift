/// An app whose App Store events this installation takes.
package struct StoreApp: Sendable, Hashable {
    /// The bundle id, such as `com.example`.
    package let bundleID: String
    /// The id in the App Store; nil if it is not known.
    package let appID: Int64?

    /// Takes both.
    package init(bundleID: String, appID: Int64?) {
        self.bundleID = bundleID
        self.appID = appID
    }
}
