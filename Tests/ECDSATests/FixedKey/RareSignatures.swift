import COpenSSL
import Testing

@testable import ECDSA

/// Signatures whose verification meets what random ones never do, made by choosing the public key for them.
enum RareSignatures {
    /// Equal summands, opposite ones, a sum that has a zero scalar, and an x at or above the order.
    static func check(_ curve: Curve) throws {
        let identifier = curve == .p192 ? NID_X9_62_prime192v1 : NID_X9_62_prime256v1
        let count = curve == .p192 ? 24 : 32
        let group = try #require(EC_GROUP_new_by_curve_name(identifier))
        defer { EC_GROUP_free(group) }
        let order = try #require(EC_GROUP_get0_order(group))
        let context = try #require(BN_CTX_new())
        defer { BN_CTX_free(context) }

        func number(_ word: UInt) -> OpaquePointer {
            let number: OpaquePointer = BN_new()
            BN_set_word(number, word)
            return number
        }
        func key(_ point: OpaquePointer) throws -> EVPKey {
            var bytes = [UInt8](repeating: 0, count: 1 + 2 * count)
            #expect(
                EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, context)
                    == bytes.count)
            // SubjectPublicKeyInfo: the same for every key of a curve, but for the point.
            let fresh = try SigningKey.generate(curve).publicKey.subjectPublicKeyInfo
            return try VerificationKey(subjectPublicKeyInfo: fresh.dropLast(bytes.count) + bytes).key
        }
        // A table takes long in a debug build: one for each point.
        var fixedKeys: [[UInt8]: any SignatureBackend] = [:]
        func fixedKey(_ key: EVPKey) throws -> any SignatureBackend {
            let encoded = key.publicKeyDER
            if let known = fixedKeys[encoded] { return known }
            let fixed = try FixedKey.backend(curve, subjectPublicKeyInfo: encoded)
            fixedKeys[encoded] = fixed
            return fixed
        }
        func der(_ r: OpaquePointer, _ s: OpaquePointer) throws -> [UInt8] {
            let pair = try #require(ECDSA_SIG_new())
            defer { ECDSA_SIG_free(pair) }
            ECDSA_SIG_set0(pair, BN_dup(r), BN_dup(s))
            var output: UnsafeMutablePointer<UInt8>?
            let size = i2d_ECDSA_SIG(pair, &output)
            defer { CRYPTO_free(output, nil, 0) }
            return Array(UnsafeBufferPointer(start: output, count: Int(size)))
        }
        func digest(_ e: OpaquePointer) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: 32)
            BN_bn2binpad(e, &bytes, Int32(count))
            return bytes
        }
        /// If s = r / b and e = a · s, verifying (r, s) over e computes u1 · G + u2 · Q with u1 = a and u2 = b.
        func expect(_ point: OpaquePointer, a: OpaquePointer, b: OpaquePointer, r: OpaquePointer, _ expected: Bool)
            throws
        {
            let s: OpaquePointer = BN_new()
            let e: OpaquePointer = BN_new()
            let inverse = try #require(BN_mod_inverse(nil, b, order, context))
            BN_mod_mul(s, r, inverse, order, context)
            BN_mod_mul(e, a, s, order, context)
            let key = try key(point)
            let fast = try fixedKey(key)
            let signature = try der(r, s)
            #expect(key.isValid(signature: signature, digest: digest(e)) == expected)
            #expect(fast.isValid(signature: signature, digest: digest(e)) == expected)
            // Among good ones, at each place of a batch.
            let good = SignatureSample.samples(under: key).map {
                (signature: $0.signed.signature, digest: $0.signed.digest)
            }
            #expect(good.count == 4)
            for place in 0...good.count {
                var batch = good
                batch.insert((signature, digest(e)), at: place)
                let verdicts = fast.areValid(batch)
                #expect(verdicts == batch.indices.map { $0 == place ? expected : true })
            }
            for number in [s, e, inverse] { BN_free(number) }
        }
        func x(of point: OpaquePointer) -> OpaquePointer {
            let x: OpaquePointer = BN_new()
            EC_POINT_get_affine_coordinates(group, point, x, nil, context)
            BN_nnmod(x, x, order, context)
            return x
        }

        let point = try #require(EC_POINT_new(group))
        let sum = try #require(EC_POINT_new(group))
        defer {
            EC_POINT_free(point)
            EC_POINT_free(sum)
        }
        // Q = G: u1 = u2 makes both summands one point, u1 = −u2 opposite ones.
        EC_POINT_mul(group, point, number(1), nil, nil, context)
        EC_POINT_mul(group, sum, number(14), nil, nil, context)
        try expect(point, a: number(7), b: number(7), r: x(of: sum), true)
        let minus: OpaquePointer = BN_new()
        BN_sub(minus, order, number(7))
        try expect(point, a: minus, b: number(7), r: number(5), false)
        // u1 = 0: the digest is 0.
        EC_POINT_mul(group, sum, number(7), nil, nil, context)
        try expect(point, a: number(0), b: number(7), r: x(of: sum), true)
        // Q = −G, and small multiples that share windows.
        EC_POINT_invert(group, point, context)
        EC_POINT_mul(group, sum, number(3), nil, nil, context)
        try expect(point, a: number(5), b: number(2), r: x(of: sum), true)

        // R with an x at or above the order, from which Q = (R − a · G) / b.
        let candidate: OpaquePointer = BN_dup(order)
        while EC_POINT_set_compressed_coordinates(group, sum, candidate, 1, context) != 1 { BN_add_word(candidate, 1) }
        ERR_clear_error()
        let r: OpaquePointer = BN_new()
        BN_sub(r, candidate, order)
        if BN_is_zero(r) == 1 { return }
        let a = number(11)
        let b = number(13)
        EC_POINT_mul(group, point, a, nil, nil, context)
        EC_POINT_invert(group, point, context)
        EC_POINT_add(group, point, sum, point, context)
        let inverse = try #require(BN_mod_inverse(nil, b, order, context))
        EC_POINT_mul(group, point, nil, point, inverse, context)
        try expect(point, a: a, b: b, r: r, true)
        BN_add_word(r, 1)
        try expect(point, a: a, b: b, r: r, false)
    }
}
