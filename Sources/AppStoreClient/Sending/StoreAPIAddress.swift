/// Where requests to Apple's API go.
package struct StoreAPIAddress: Sendable, Hashable {
    /// What the text of another server must be.
    package static let loopbackRule = "http://127.0.0.1:PORT or http://[::1]:PORT"

    /// Scheme and host, without a slash at the end.
    package let url: String

    /// Apple's server of an environment.
    ///
    /// The hosts are those of Apple's own library 3.1.1; `api.storekit.itunes.apple.com` is the older name.
    package init(_ environment: StoreAPIEnvironment) {
        url =
            switch environment {
            case .production: "https://api.storekit.apple.com"
            case .sandbox: "https://api.storekit-sandbox.apple.com"
            }
    }

    /// Another server, on this machine, for tests: so no token crosses a network unencrypted.
    ///
    /// - Returns: nil if the text breaks `loopbackRule`.
    package init?(loopback text: String) {
        let hosts = ["http://127.0.0.1:", "http://[::1]:"]
        guard let host = hosts.first(where: { text.hasPrefix($0) }),
            let port = UInt16(text.dropFirst(host.count)), port > 0, host + String(port) == text
        else { return nil }
        url = text
    }
}
