/// Where tokens of Apple Ads are exchanged.
package struct AppleAdsAddress: Sendable, Hashable {
    /// What the text of another server must be.
    package static let loopbackRule = StoreAPIAddress.loopbackRule

    /// Apple's server (Apple, "attributionToken()").
    package static let apple = AppleAdsAddress(url: "https://api-adservices.apple.com/api/v1/")

    /// The whole URL.
    package let url: String

    private init(url: String) {
        self.url = url
    }

    /// Another server, on this machine, for tests: so no token crosses a network unencrypted.
    ///
    /// - Returns: nil if the text breaks `loopbackRule`.
    package init?(loopback text: String) {
        guard let address = StoreAPIAddress(loopback: text) else { return nil }
        self.init(url: address.url + "/api/v1/")
    }
}
