import PostbackIngest

/// The words of a setting that is on or off.
private enum Switch: String, CaseIterable {
    case on
    case off
}

extension SettingsReader {
    /// `RECEIVED_FROM`, `FORWARDED_HEADER`, `PROXY_PROTOCOL` and `TRUSTED_PROXIES`, all of them checked even if nothing
    /// is kept.
    ///
    /// - Returns: Where the source of a delivery is read, and the proxies that send a header of the PROXY protocol.
    mutating func origins() -> (reader: DeliveryOriginReader, headerProxies: TrustedProxies?) {
        let receivedFrom: Switch = choice(.receivedFrom) ?? .on
        let proxyProtocol: Switch = choice(.proxyProtocol) ?? .off
        let header = forwardedHeader()
        guard let proxies = trustedProxies() else {
            // Without trusted proxies anybody could write a header, so there is no default.
            if header != nil { refuse(.trustedProxies, because: .forwardedHeader) }
            if proxyProtocol == .on { refuse(.trustedProxies, because: .proxyProtocol) }
            return (receivedFrom == .on ? .connection : .off, nil)
        }
        guard header != nil || proxyProtocol == .on else {
            guard !isRefused(.proxyProtocol) else { return (.off, nil) }
            refuse(
                .forwardedHeader,
                "must be set too, or \(Settings.Key.proxyProtocol.environmentName) be on, since "
                    + "\(Settings.Key.trustedProxies.environmentName) is set")
            return (.off, nil)
        }
        let reader = header.map { DeliveryOriginReader.proxies(proxies, $0) } ?? .connection
        return (receivedFrom == .on ? reader : .off, proxyProtocol == .on ? proxies : nil)
    }

    private mutating func forwardedHeader() -> ForwardedHeader? {
        guard let text = text(.forwardedHeader) else { return nil }
        guard let header = ForwardedHeader(text) else {
            refuse(.forwardedHeader, "must be the name of a header, not \"\(text.prefix(60))\"")
            return nil
        }
        return header
    }

    private mutating func trustedProxies() -> TrustedProxies? {
        guard let text = text(.trustedProxies) else { return nil }
        do throws(TrustedProxiesError) {
            return try TrustedProxies(text)
        } catch {
            refuse(.trustedProxies, "\(error)")
            return nil
        }
    }
}
