import PostbackIngest

/// Whether the source address and User-Agent of deliveries are kept.
private enum ReceivedFrom: String, CaseIterable {
    case on
    case off
}

extension SettingsReader {
    /// `RECEIVED_FROM`, `FORWARDED_HEADER` and `TRUSTED_PROXIES`, all of them checked even if nothing is kept.
    func origins() throws(SettingsError) -> DeliveryOriginReader {
        let receivedFrom: ReceivedFrom = try choice(.receivedFrom) ?? .on
        let reader: DeliveryOriginReader
        switch (try forwardedHeader(), try trustedProxies()) {
        case (nil, nil): reader = .connection
        case (let header?, let proxies?): reader = .proxies(proxies, header)
        case (nil, _?): throw missing(.forwardedHeader, because: .trustedProxies)
        // Without trusted proxies anybody could write the header, so there is no default.
        case (_?, nil): throw missing(.trustedProxies, because: .forwardedHeader)
        }
        return receivedFrom == .on ? reader : .off
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

    private func missing(_ key: Settings.Key, because other: Settings.Key) -> SettingsError {
        SettingsError(key: key.environmentName, rule: "must be set too, since \(other.environmentName) is set")
    }
}
