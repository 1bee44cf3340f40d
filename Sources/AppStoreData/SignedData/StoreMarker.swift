/// The extensions by which Apple marks the certificates of the App Store.
///
/// Source: apple/app-store-server-library-python, `signed_data_verifier.py`.
package enum StoreMarker {
    /// Of a leaf that signs data of the App Store.
    package static let leaf = "1.2.840.113635.100.6.11.1"
    /// Of the authority that issues such leaves (Apple Worldwide Developer Relations).
    package static let intermediate = "1.2.840.113635.100.6.2.1"
}
