extension Residue3: ScalarField {
    init?(reducingBigEndian bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        let w0 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        let w1 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let w2 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        self.init(reducing: (w0, w1, w2))
    }

    func signedDigits(_ digits: UnsafeMutableBufferPointer<Int16>, width: Int) -> Bool {
        var words = words
        let isNegated = words.2 >> 63 == 1
        if isNegated { words = negated.words }
        withUnsafeBytes(of: (words.0.littleEndian, words.1.littleEndian, words.2.littleEndian)) { bytes in
            Self.recode({ bytes[$0] }, digits, width: width)
        }
        return isNegated
    }
}

extension Residue4: ScalarField {
    init?(reducingBigEndian bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        let w0 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
        let w1 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        let w2 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let w3 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        self.init(reducing: (w0, w1, w2, w3))
    }

    func signedDigits(_ digits: UnsafeMutableBufferPointer<Int16>, width: Int) -> Bool {
        var words = words
        let isNegated = words.3 >> 63 == 1
        if isNegated { words = negated.words }
        withUnsafeBytes(of: (words.0.littleEndian, words.1.littleEndian, words.2.littleEndian, words.3.littleEndian)) {
            bytes in
            Self.recode({ bytes[$0] }, digits, width: width)
        }
        return isNegated
    }
}
