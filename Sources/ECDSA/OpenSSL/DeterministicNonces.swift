/// The candidates for an ECDSA nonce in the order in which RFC 6979, section 3.2 makes them, with HMAC-SHA-256.
struct DeterministicNonces {
    private var key = [UInt8](repeating: 0, count: 32)
    private var value = [UInt8](repeating: 1, count: 32)
    private var isFirst = true

    /// Steps a to g: `scalar` is the private key and `digest` the message's, both as wide as the curve's order.
    init(scalar: [UInt8], digest: [UInt8]) {
        for separator: UInt8 in [0, 1] {
            key = Self.hmac(key, value + [separator] + scalar + digest)
            value = Self.hmac(key, value)
        }
    }

    /// Step h: the next 32 bytes; empty only if libcrypto itself fails.
    mutating func next() -> [UInt8] {
        if !isFirst {
            key = Self.hmac(key, value + [0])
            value = Self.hmac(key, value)
        }
        isFirst = false
        value = Self.hmac(key, value)
        return value
    }

    private static func hmac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        HMACKey(key).code(of: message) ?? []
    }
}
