import PostbackStore

/// The proxies whose header is read.
package struct TrustedProxies: Sendable, Hashable {
    /// The entry for every client of a Unix-domain socket.
    private static let unixEntry = "unix:"

    private var networks: [IPNetwork] = []
    private var includesUnixSockets = false

    /// Reads addresses and CIDR networks of IPv4 and IPv6, and `unix:`, separated by commas.
    ///
    /// - Throws: `TrustedProxiesError`, which shows the entry. A list without entries is wrong too.
    package init(_ text: String) throws(TrustedProxiesError) {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let entry = String(decoding: ArraySlice(part.utf8).trimmed, as: UTF8.self)
            if entry == Self.unixEntry {
                includesUnixSockets = true
            } else {
                do throws(IPNetworkError) {
                    networks.append(try IPNetwork(entry))
                } catch {
                    throw TrustedProxiesError(entry, error.rule)
                }
            }
        }
    }

    /// Whether the other end of a connection is a trusted proxy.
    package func contains(_ peer: ConnectionPeer) -> Bool {
        switch peer {
        case .address(let address): contains(address)
        case .unixSocket: includesUnixSockets
        case .unknown: false
        }
    }

    /// Whether an address is that of a trusted proxy.
    func contains(_ address: IPAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }
}

/// A wrong entry of the trusted proxies.
package struct TrustedProxiesError: Error, Equatable, CustomStringConvertible {
    /// The entry and its rule, in one line.
    package let description: String

    init(_ entry: some StringProtocol, _ rule: String) {
        description = "\"\(entry.prefix(60))\" \(rule)"
    }
}
