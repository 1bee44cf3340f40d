/// Signatures in DER from any two numbers, and back.
enum DER {
    /// DER out of two numbers, whatever they are.
    static func signature(_ r: BigNumber, _ s: BigNumber) -> [UInt8] {
        let integers = [r, s].flatMap { number -> [UInt8] in
            var bytes = Array(number.bigEndian(40).drop { $0 == 0 })
            if bytes.isEmpty { bytes = [0] }
            if bytes[0] >= 0x80 { bytes.insert(0, at: 0) }
            return [2, UInt8(bytes.count)] + bytes
        }
        return [0x30, UInt8(integers.count)] + integers
    }

    /// The two numbers of a good signature.
    static func numbers(_ signature: [UInt8]) -> (r: BigNumber, s: BigNumber) {
        let length = Int(signature[3])
        return (
            BigNumber(bigEndian: Array(signature[4..<4 + length])),
            BigNumber(bigEndian: Array(signature[(6 + length)...]))
        )
    }
}
