import Glibc
package import PostgresClient

/// A numeric IPv4 or IPv6 address, without port, zone or prefix length.
///
/// An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`, RFC 4291, section 2.5.5.2) becomes the IPv4 address. A listener on
/// `::` sees its IPv4 clients in this form, and one client must have one address.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// The version of the Internet Protocol.
    package enum Family: Sendable, Hashable {
        /// 32 bits.
        case ipv4
        /// 128 bits.
        case ipv6

        /// The number of bits of an address.
        package var width: Int { self == .ipv4 ? 32 : 128 }
    }

    /// IPv4 or IPv6.
    package let family: Family
    /// The address as a number; for IPv4 below 2³².
    package let bits: UInt128

    /// An IPv4 address from its number: 127.0.0.1 is `0x7F00_0001`.
    package init(ipv4 number: UInt32) {
        family = .ipv4
        bits = UInt128(number)
    }

    /// An IPv6 address from its number, or the IPv4 address that it maps.
    package init(ipv6 number: UInt128) {
        let isMapped = number >> 32 == 0xFFFF
        family = isMapped ? .ipv4 : .ipv6
        bits = isMapped ? number & 0xFFFF_FFFF : number
    }

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

extension IPAddress: PostgresEncodable {
    /// `inet`.
    package static var postgresType: PostgresType { .inet }

    /// Appends family, prefix length, a zero for `inet`, the number of bytes, and the bytes: the format of `inet_send`.
    package func encode(into buffer: inout [UInt8]) {
        let count = family.width / 8
        buffer.append(family == .ipv4 ? 2 : 3)
        buffer.append(UInt8(family.width))
        buffer.append(0)
        buffer.append(UInt8(count))
        for index in stride(from: count - 1, through: 0, by: -1) {
            buffer.append(UInt8(truncatingIfNeeded: bits >> (8 * index)))
        }
    }
}
