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
