internal import COpenSSL

/// Converts between the two forms of an ECDSA signature.
///
/// SKAdNetwork uses ASN.1 DER. JSON Web Signatures use R and S, one after the other (RFC 7518, section 3.4).
package enum ECDSASignature {
    /// The number of bytes of R and S together on P-256.
    package static let concatenatedSize = 64

    /// DER from R and S; nil if there are not 64 bytes.
    package static func der(concatenated: [UInt8]) -> [UInt8]? {
        let half = concatenatedSize / 2
        guard concatenated.count == concatenatedSize else { return nil }
        guard let r = BN_bin2bn(concatenated, Int32(half), nil) else { return nil }
        guard let s = BN_bin2bn(Array(concatenated[half...]), Int32(half), nil), let pair = ECDSA_SIG_new() else {
            BN_free(r)
            return nil
        }
        // The pair owns r and s from here on.
        defer { ECDSA_SIG_free(pair) }
        guard ECDSA_SIG_set0(pair, r, s) == 1 else { return nil }
        var output: UnsafeMutablePointer<UInt8>?
        let length = i2d_ECDSA_SIG(pair, &output)
        guard length > 0, let output else { return nil }
        defer { CRYPTO_free(output, nil, 0) }
        return Array(UnsafeBufferPointer(start: output, count: Int(length)))
    }

    /// R and S in 64 bytes from DER; nil if it is not a signature, or if R or S is too large for P-256.
    package static func concatenated(der: [UInt8]) -> [UInt8]? {
        var consumed = 0
        let pair = der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            let pair = d2i_ECDSA_SIG(nil, &cursor, buffer.count)
            if let start = buffer.baseAddress, let cursor { consumed = cursor - start }
            return pair
        }
        guard let pair else {
            ERR_clear_error()
            return nil
        }
        defer { ECDSA_SIG_free(pair) }
        guard consumed == der.count else { return nil }
        let half = concatenatedSize / 2
        var output: [UInt8] = []
        for number in [ECDSA_SIG_get0_r(pair), ECDSA_SIG_get0_s(pair)] {
            var bytes = [UInt8](repeating: 0, count: half)
            guard BN_bn2binpad(number, &bytes, Int32(half)) == Int32(half) else { return nil }
            output.append(contentsOf: bytes)
        }
        return output
    }
}
