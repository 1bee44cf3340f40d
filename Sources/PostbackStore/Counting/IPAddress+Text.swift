import Glibc

extension IPAddress {
    /// Reads the usual text forms: four decimal numbers without leading zeros, or RFC 4291, section 2.2.
    ///
    /// Returns nil for everything else. No name is looked up.
    package init?(_ text: some StringProtocol) {
        // In C a text ends at a zero byte, so the rest would not be read.
        guard text.utf8.count <= Self.maximumTextSize, !text.utf8.contains(0) else { return nil }
        let text = String(text)
        var ipv4 = in_addr()
        if inet_pton(AF_INET, text, &ipv4) == 1 {
            self.init(ipv4: UInt32(bigEndian: ipv4.s_addr))
            return
        }
        var ipv6 = in6_addr()
        guard inet_pton(AF_INET6, text, &ipv6) == 1 else { return nil }
        self.init(ipv6: withUnsafeBytes(of: ipv6) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) })
    }

    /// The canonical text: for IPv6 the form of RFC 5952.
    ///
    /// PostgreSQL reads it as `inet`.
    package var description: String {
        switch family {
        case .ipv4: Self.text(AF_INET, UInt32(truncatingIfNeeded: bits).bigEndian)
        case .ipv6: Self.text(AF_INET6, bits.bigEndian)
        }
    }

    /// The bytes of the longest text, an IPv6 address whose end is written as IPv4.
    private static let maximumTextSize = 45

    private static func text(_ family: Int32, _ networkOrder: some BitwiseCopyable) -> String {
        withUnsafeBytes(of: networkOrder) { source in
            String(unsafeUninitializedCapacity: maximumTextSize + 1) { target in
                target.withMemoryRebound(to: CChar.self) { text in
                    guard inet_ntop(family, source.baseAddress, text.baseAddress, socklen_t(text.count)) != nil else {
                        return 0
                    }
                    return text.firstIndex(of: 0) ?? 0
                }
            }
        }
    }
}
