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
    func origins() throws(SettingsError) -> (reader: DeliveryOriginReader, headerProxies: TrustedProxies?) {
        let receivedFrom: Switch = try choice(.receivedFrom) ?? .on
        let proxyProtocol: Switch = try choice(.proxyProtocol) ?? .off
        let header = try forwardedHeader()
        guard let proxies = try trustedProxies() else {
            // Without trusted proxies anybody could write a header, so there is no default.
            if header != nil { throw missing(.trustedProxies, because: .forwardedHeader) }
            if proxyProtocol == .on { throw missing(.trustedProxies, because: .proxyProtocol) }
            return (receivedFrom == .on ? .connection : .off, nil)
        }
        guard header != nil || proxyProtocol == .on else {
            throw SettingsError(
                key: Settings.Key.forwardedHeader.environmentName,
                rule: "must be set too, or \(Settings.Key.proxyProtocol.environmentName) be on, since "
                    + "\(Settings.Key.trustedProxies.environmentName) is set")
        }
        let reader = header.map { DeliveryOriginReader.proxies(proxies, $0) } ?? .connection
        return (receivedFrom == .on ? reader : .off, proxyProtocol == .on ? proxies : nil)
    }

    private func forwardedHeader() throws(SettingsError) -> ForwardedHeader? {
        guard let text = try text(.forwardedHeader) else { return nil }
        guard let header = ForwardedHeader(text) else {
            throw SettingsError(
                key: Settings.Key.forwardedHeader.environmentName,
                rule: "must be the name of a header, not \"\(text.prefix(60))\"")
        }
        return header
    }

    private func trustedProxies() throws(SettingsError) -> TrustedProxies? {
        guard let text = try text(.trustedProxies) else { return nil }
        do throws(TrustedProxiesError) {
            return try TrustedProxies(text)
        } catch {
            throw SettingsError(key: Settings.Key.trustedProxies.environmentName, rule: "\(error)")
        }
    }
}
