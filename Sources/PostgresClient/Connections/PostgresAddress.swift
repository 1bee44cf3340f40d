/// Where a server listens: a host and a port.
package struct PostgresAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name, an address, or the absolute folder of a Unix socket.
    package let host: String
    /// A port, 1 to 65,535.
    package let port: UInt16

    /// Takes a host and a port, unchecked.
    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port`; a host with colons, an IPv6 address, stands in brackets.
    ///
    /// - Returns: nil if the host is empty or has white space, or if the port is not an integer from 1 to 65,535.
    package init?(_ text: some StringProtocol) {
        guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = Substring(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, host.allSatisfy({ !$0.isWhitespace && !"[],=\0".contains($0) }) else { return nil }
        self.init(host: String(host), port: port)
    }

    private static func port(_ text: some StringProtocol) -> UInt16? {
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let port = UInt16(text), port > 0
        else { return nil }
        return port
    }

    /// `host:port`, an IPv6 address in brackets.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
