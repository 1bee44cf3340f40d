/// Where something of the App Store happened, by Apple's word.
///
/// Source: Apple, App Store Server API, "environment".
package enum StoreEnvironment: String, Sendable, CaseIterable {
    /// The App Store.
    case production = "Production"
    /// The sandbox of the App Store.
    case sandbox = "Sandbox"
    /// StoreKit testing in Xcode, whose data Apple does not sign.
    case xcode = "Xcode"
    /// Tests of the library itself, whose data nobody signs.
    case localTesting = "LocalTesting"
}
