package import AppStoreClient

/// What a server needs to know to exchange tokens of Apple Ads.
package struct AppleAdsConfiguration: Sendable {
    /// Whether this server exchanges tokens; if it does not, other servers may.
    ///
    /// It takes them in any case.
    package var isOn = true
    /// Where they are exchanged: at Apple.
    package var address = AppleAdsAddress.apple

    /// The defaults.
    package init() {}
}
