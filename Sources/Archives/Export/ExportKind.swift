/// What an export is of.
package enum ExportKind: String, Sendable, Codable, CaseIterable {
    /// What happened to postbacks.
    case postbacks
    /// Notifications of the App Store.
    case appStore = "app-store"
}
