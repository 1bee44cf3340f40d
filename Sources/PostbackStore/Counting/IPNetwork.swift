/// All addresses with the same first bits: a network of CIDR (RFC 4632), or a single address.
package struct IPNetwork: Sendable, Hashable {
    private let address: IPAddress
    private let prefixLength: Int

    /// Reads `10.0.0.0/8`, `2001:db8::/32`, or an address, which is a network of one.
    ///
    /// - Throws: `IPNetworkError` for a wrong address or prefix length, and if the address has bits after the
    ///   prefix. `10.1.2.3/8` is probably a mistake: it would name sixteen million addresses.
    package init(_ text: some StringProtocol) throws(IPNetworkError) {
        let slash = text.firstIndex(of: "/")
        let host = text[..<(slash ?? text.endIndex)]
        guard let address = IPAddress(host) else { throw IPNetworkError(rule: "is no address and no network") }
        guard let slash else {
            self.address = address
            prefixLength = address.family.width
            return
        }
        let length = text[slash...].dropFirst()
        // An IPv4-mapped network counts from the bit at which its IPv4 part begins.
        let skipped = address.family == .ipv4 && host.contains(":") ? 96 : 0
        let range = skipped...(skipped + address.family.width)
        guard 1...3 ~= length.utf8.count, length.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let given = Int(length), range.contains(given)
        else {
            throw IPNetworkError(rule: "must have a prefix length from \(range.lowerBound) to \(range.upperBound)")
        }
        prefixLength = given - skipped
        let freeBits = address.family.width - prefixLength
        let first = (address.bits >> freeBits) << freeBits
        guard first == address.bits else {
            let start =
                address.family == .ipv4
                ? IPAddress(ipv4: UInt32(truncatingIfNeeded: first)) : IPAddress(ipv6: first)
            throw IPNetworkError(rule: "has bits behind its prefix; the network is \(start)/\(prefixLength)")
        }
        self.address = address
    }

    /// Whether an address belongs to the network.
    ///
    /// An IPv4 network contains no IPv6 address, and the reverse.
    package func contains(_ other: IPAddress) -> Bool {
        other.family == address.family
            && (other.bits ^ address.bits) >> (address.family.width - prefixLength) == 0
    }
}

/// Why a text is no network.
package struct IPNetworkError: Error, Equatable {
    /// What is wrong, to follow the text: "is no address and no network".
    package let rule: String
}
