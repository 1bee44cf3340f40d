import PostbackStore

extension IPAddress {
    /// The address of a node, without its port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or
    /// `[2001:db8::1]:80`.
    ///
    /// A port is a number up to 65535, or an obfuscated one of RFC 7239, such as `_port`. Nil for anything else.
    init?(node: ArraySlice<UInt8>) {
        var host = node
        var port: ArraySlice<UInt8>?
        if node.first == .openingBracket {
            guard let end = node.firstIndex(of: .closingBracket) else { return nil }
            host = node[..<end].dropFirst()
            // Brackets are for IPv6 only.
            guard host.contains(.colon) else { return nil }
            var rest = node[end...].dropFirst()
            if let next = rest.popFirst() {
                guard next == .colon else { return nil }
                port = rest
            }
        } else if let colon = node.firstIndex(of: .colon), colon == node.lastIndex(of: .colon) {
            host = node[..<colon]
            port = node[colon...].dropFirst()
        }
        guard port.map(Self.isPort) ?? true else { return nil }
        self.init(String(decoding: host, as: UTF8.self))
    }

    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first != .underscore else {
            return text.count > 1 && text.dropFirst().allSatisfy(\.isOfObfuscatedIdentifier)
        }
        guard 1...5 ~= text.count, text.allSatisfy(\.isDigit) else { return false }
        return UInt16(String(decoding: text, as: UTF8.self)) != nil
    }
}
