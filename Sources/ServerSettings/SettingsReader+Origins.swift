import Access
import PageRequests
import PostbackIngest

extension SettingsReader {
    /// `RECEIVED_FROM`, `FORWARDED_HEADER`, `PROXY_PROTOCOL` and `TRUSTED_PROXIES`, all of them checked even if nothing
    /// is kept.
    ///
    /// - Returns: Where the source of a delivery is read. Then the proxies that send a header of the PROXY protocol. Then
    ///   the proxies whose ids of requests are taken.
    mutating func origins() -> (
        reader: DeliveryOriginReader, headerProxies: TrustedProxies?, trusted: TrustedProxies?
    ) {
        let receivedFrom: Switch = choice(.receivedFrom) ?? .on
        let proxyProtocol: Switch = choice(.proxyProtocol) ?? .off
        let header = forwardedHeader()
        guard let proxies = trustedProxies(.trustedProxies) else {
            // Without trusted proxies anybody could write a header, so there is no default.
            if header != nil { refuse(.trustedProxies, because: .forwardedHeader) }
            if proxyProtocol == .on { refuse(.trustedProxies, because: .proxyProtocol) }
            return (receivedFrom == .on ? .connection : .off, nil, nil)
        }
        guard header != nil || proxyProtocol == .on else {
            guard !isRefused(.proxyProtocol) else { return (.off, nil, nil) }
            refuse(
                .forwardedHeader,
                "must be set too, or \(Settings.Key.proxyProtocol.environmentName) be on, since "
                    + "\(Settings.Key.trustedProxies.environmentName) is set")
            return (.off, nil, nil)
        }
        let reader = header.map { DeliveryOriginReader.proxies(proxies, $0) } ?? .connection
        return (receivedFrom == .on ? reader : .off, proxyProtocol == .on ? proxies : nil, proxies)
    }

    private mutating func forwardedHeader() -> ForwardedHeader? {
        guard let text = text(.forwardedHeader) else { return nil }
        guard let header = ForwardedHeader(text) else {
            refuse(.forwardedHeader, "must be the name of a header, not \"\(text.prefix(60))\"")
            return nil
        }
        return header
    }

    /// `ADMIN_USER_HEADER`, which needs `ADMIN_TRUSTED_PROXIES`.
    ///
    /// They are never taken from the settings of the public listener: a proxy of postbacks signs nobody on.
    ///
    /// - Parameters:
    ///   - proxies: `ADMIN_TRUSTED_PROXIES`.
    ///   - key: `ADMIN_TOKEN`, which seals sessions of users.
    mutating func signOnProxy(of proxies: TrustedProxies?, sealedWith key: BearerToken?) -> SignOnProxy? {
        guard let text = text(.adminUserHeader) else { return nil }
        // Without trusted proxies anybody could be anybody.
        guard let proxies else {
            refuse(.adminTrustedProxies, because: .adminUserHeader)
            return nil
        }
        guard let key else {
            refuse(.adminToken, because: .adminUserHeader)
            return nil
        }
        guard let proxy = SignOnProxy(headers: text, from: proxies, sealedWith: key) else {
            refuse(.adminUserHeader, "must be \(SignOnProxy.rule), not \"\(text.prefix(60))\"")
            return nil
        }
        return proxy
    }

    /// A list of proxies; nil if it is not set, or is refused.
    mutating func trustedProxies(_ key: Settings.Key) -> TrustedProxies? {
        guard let text = text(key) else { return nil }
        do throws(TrustedProxiesError) {
            return try TrustedProxies(text)
        } catch {
            refuse(key, "\(error)")
            return nil
        }
    }
}
