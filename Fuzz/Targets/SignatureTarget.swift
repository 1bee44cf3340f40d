import AdAttribution
import ECDSA
import Foundation

/// ECDSA signatures in DER, by both verifiers.
///
/// Input: a byte that chooses the key and the form, two bytes with the length of the message, the message, the
/// signature. In the second form the signature is R and S as they are, and is put into DER here. So the fuzzer reaches
/// the numbers without guessing DER.
package struct SignatureTarget: FuzzTarget {
    package static let name = "signature"

    private struct Verifiers {
        let reference: VerificationKey
        let fixed: any SignatureBackend
        /// A valid signature under the key, if Apple has published one.
        let good: SignedDigest
        let isGood: Bool
    }

    private let keys: [Verifiers]
    private let vectors: AppleVectors

    package init() throws {
        vectors = try AppleVectors()
        let postbacks = try vectors.bodies.map { try Postback(parsing: $0) }
        var keys: [Verifiers] = []
        for apple in AppleKey.allCases {
            let key = try VerificationKey(apple.subjectPublicKeyInfo)
            guard let fixed = FixedKey.backend(for: key) else { throw Finding("no fast verifier for \(apple)") }
            let signed = postbacks.map { SignedDigest(signature: $0.signature, message: $0.signedMessage.bytes) }
            // Two of the keys have signed no vector.
            let good = signed.first { key.areValid([$0]) == [true] } ?? signed[0]
            let isGood = key.areValid([good]) == [true]
            keys.append(Verifiers(reference: key, fixed: fixed, good: good, isGood: isGood))
        }
        self.keys = keys
    }

    package func check(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let choice = Int(reader.byte())
        let verifiers = keys[choice % keys.count]
        let length = Int(reader.byte()) << 8 | Int(reader.byte())
        let message = reader.bytes(min(length, 1_024))
        var signature = reader.remainder()
        if choice & 0x80 != 0 { signature = Self.der(signature) }
        try checkForms(signature)

        let signed = SignedDigest(signature: signature, message: message)
        let verdict = verifiers.reference.areValid([signed])
        try expect(verdict == verifiers.fixed.areValid([signed]), "the fast verifier does not say \(verdict)")
        let good = verifiers.good
        let batch = [good, signed, good, signed, signed, good, good]
        let expected = batch.indices.map { [1, 3, 4].contains($0) ? verdict[0] : verifiers.isGood }
        try expect(verifiers.fixed.areValid(batch) == expected, "the fast verifier says otherwise in a batch")
        if verdict == [true] {
            try expect(vectors.messages.contains(message), "a message that Apple never signed verifies")
        }
    }

    /// Both forms of a signature lead to each other.
    private func checkForms(_ signature: [UInt8]) throws {
        if let concatenated = ECDSASignature.concatenated(der: signature) {
            try expect(concatenated.count == 64, "R and S in \(concatenated.count) bytes")
            guard let again = ECDSASignature.der(concatenated: concatenated) else {
                throw Finding("R and S of a DER signature have no DER")
            }
            try expect(ECDSASignature.concatenated(der: again) == concatenated, "other numbers after a round trip")
        }
        if signature.count == 64 {
            let der = ECDSASignature.der(concatenated: signature)
            try expect(der.flatMap { ECDSASignature.concatenated(der: $0) } == signature, "R and S change in DER")
        }
    }

    /// DER of two numbers, each a half of the bytes.
    private static func der(_ bytes: [UInt8]) -> [UInt8] {
        func integer(_ number: ArraySlice<UInt8>) -> [UInt8] {
            var digits = Array(number.drop { $0 == 0 }.prefix(60))
            if digits.isEmpty || digits[0] >= 0x80 { digits.insert(0, at: 0) }
            return [0x02, UInt8(digits.count)] + digits
        }
        let both = integer(bytes.prefix(bytes.count / 2)) + integer(bytes.dropFirst(bytes.count / 2))
        return [0x30, UInt8(both.count)] + both
    }
}
