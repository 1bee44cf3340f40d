import PostbackStore

/// Addresses that are not those of a public host (IANA's registries of special-purpose addresses, RFC 6890).
enum SpecialAddress {
    /// What is special about an address, to follow "the address is"; nil for a public one.
    static func kind(of address: IPAddress) -> String? {
        switch address.family {
        case .ipv4: first(ipv4, address)
        case .ipv6: first(ipv6, address) ?? embedded(in: address) ?? other(address)
        }
    }

    private static func first(_ table: [(network: IPNetwork, kind: String)], _ address: IPAddress) -> String? {
        table.first { $0.network.contains(address) }?.kind
    }

    /// Of what has no name in the table only 2000::/3 has public hosts, and NAT64 leads to some.
    private static func other(_ address: IPAddress) -> String? {
        address.bits >> 125 == 1 || address.bits >> 32 == nat64 ? nil : "reserved"
    }

    /// What is special about the IPv4 address in an IPv6 address that a gateway or a tunnel translates.
    ///
    /// An IPv4-mapped one (`::ffff:127.0.0.1`) is an IPv4 address already.
    private static func embedded(in address: IPAddress) -> String? {
        for (prefix, length, shift) in translations where address.bits >> (128 - length) == prefix {
            let inner = IPAddress(ipv4: UInt32(truncatingIfNeeded: address.bits >> shift))
            guard let kind = kind(of: inner) else { continue }
            return "the form of \(inner) in IPv6, which is \(kind)"
        }
        return nil
    }

    /// The first bits of such an address, how many they are, and where its IPv4 address ends.
    private static let translations: [(prefix: UInt128, length: Int, shift: Int)] = [
        (nat64, 96, 0),
        (0x2002, 16, 80),  // 6to4, RFC 3056
    ]

    /// The first 96 bits of `64:ff9b::/96`, RFC 6052.
    private static let nat64: UInt128 = 0x0064_FF9B_0000_0000_0000_0000

    private static let ipv4 = table([
        ("0.0.0.0/8", "of this host"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "of a carrier's NAT"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local, as cloud metadata is"),
        // The services of Azure's host have a public address.
        ("168.63.129.16", "of a cloud's metadata"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "of a protocol"),
        ("192.0.2.0/24", "for documentation"),
        ("192.88.99.0/24", "of 6to4 relays"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "for benchmarks"),
        ("198.51.100.0/24", "for documentation"),
        ("203.0.113.0/24", "for documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    ])

    private static let ipv6 = table([
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::/96", "IPv4-compatible"),
        ("64:ff9b:1::/48", "of a local NAT64"),
        ("2001:2::/48", "for benchmarks"),
        ("2001:db8::/32", "for documentation"),
        ("2001::/23", "of a protocol or a tunnel"),
        ("3fff::/20", "for documentation"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    ])

    private static func table(_ rows: [(String, String)]) -> [(network: IPNetwork, kind: String)] {
        rows.map { text, kind in
            // The texts are those above.
            guard let network = try? IPNetwork(text) else { preconditionFailure("\(text) is no network") }
            return (network, kind)
        }
    }
}
