import AdAttribution
import Foundation

/// Texts that are said to be keys: PEM, and base64 as Apple prints its keys.
package struct KeyTarget: FuzzTarget {
    package static let name = "key"

    private let message = Array("a message".utf8)

    package init() {}

    package func check(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        if let key = try? VerificationKey(text) { try check(key) }
        for curve in Curve.allCases {
            guard let key = try? SigningKey(pem: text, curve: curve) else { continue }
            try expect(key.curve == curve, "a key on another curve")
            try check(key.publicKey)
            let signature = try key.signature(of: message)
            try expect(key.publicKey.isValid(signature: signature, for: message), "a key refuses its own signature")
            let fixed = key.publicKey.verifying(with: FixedKey.backend)
            try expect(fixed?.isValid(signature: signature, for: message) == true, "the fast verifier refuses it")
            let again = try SigningKey(pem: key.pem, curve: curve)
            try expect(
                again.publicKey.subjectPublicKeyInfo == key.publicKey.subjectPublicKeyInfo, "PEM has another key")
        }
    }

    /// A key that was read is the same in each of its forms, and the fast verifier can use it.
    private func check(_ key: VerificationKey) throws {
        let info = key.subjectPublicKeyInfo
        try expect(info.count <= 100, "a key of \(info.count) bytes")
        try expect(try VerificationKey(key.pem).subjectPublicKeyInfo == info, "PEM has another key")
        let base64 = Data(info).base64EncodedString()
        try expect(try VerificationKey(base64).subjectPublicKeyInfo == info, "base64 has another key")
        try expect(key.verifying(with: FixedKey.backend) != nil, "the fast verifier fails its check under the key")
    }
}
