import AppStoreData
import ECDSA
import Encodings

/// Signed data of the App Store.
///
/// The first byte chooses what the rest is: a text, a header or a payload that gets a good signature, or a change of a
/// certificate. In a header `@0`, `@1` and `@2` stand for the certificates from the leaf to the root. So the fuzzer
/// reaches what is inside without guessing base64, keys or signatures.
package struct SignedDataTarget: FuzzTarget {
    package static let name = "signed-data"

    /// The time of verifying, in milliseconds.
    private static let now: Int64 = 1_800_000_000_000
    private static let payload = #"{"environment":"Sandbox","signedDate":1761868800000}"#
    private static let first: Int64 = 1_600_000_000
    private static let last: Int64 = 4_000_000_000

    private let key: SigningKey
    /// Leaf, authority and root.
    private let chain: [Certificate]
    private let verifier: SignedDataVerifier

    package init() throws {
        let (rootKey, authorityKey) = try (SigningKey.generate(), SigningKey.generate())
        key = try SigningKey.generate()
        let root = try CertificateMaker.make(
            subject: "Root", key: rootKey, issuedBy: nil, isAuthority: true, validFrom: Self.first,
            validTo: Self.last)
        let authority = try CertificateMaker.make(
            subject: "Authority", key: authorityKey, issuedBy: (root, rootKey), marker: [StoreMarker.intermediate],
            isAuthority: true, validFrom: Self.first, validTo: Self.last, serial: 2)
        let leaf = try CertificateMaker.make(
            subject: "Leaf", key: key, issuedBy: (authority, authorityKey), marker: [StoreMarker.leaf],
            isAuthority: false, validFrom: Self.first, validTo: Self.last, serial: 3)
        chain = [leaf, authority, root]
        verifier = SignedDataVerifier(
            trust: StoreTrust(apps: [], sharedSecrets: [], testRoots: [root], accountKey: nil))
    }

    package func check(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        switch reader.byte() % 4 {
        case 0: try expect(try verified(reader.remainder()) == nil, "a text verifies that nobody signed")
        case 1: try checkHeader(reader.remainder())
        case 2: try checkPayload(reader.remainder())
        default: try checkCertificate(&reader)
        }
    }

    /// What verifies with another header names ES256 and the same leaf and authority, to another parser too.
    private func checkHeader(_ template: [UInt8]) throws {
        var header = String(decoding: template, as: UTF8.self)
        for (number, certificate) in chain.enumerated() {
            header = header.replacing("@\(number)", with: Base64.encode(certificate.der))
        }
        guard try verified(signed(header: Array(header.utf8), payload: Array(Self.payload.utf8))) != nil else { return }
        let other = try OtherParser(Array(header.utf8))
        try expect(other.text("alg") == "ES256", "another algorithm")
        guard let certificates = other.object["x5c"] as? [String], certificates.count == 3 else {
            throw Finding("not three certificates")
        }
        try expect(
            Array(certificates.prefix(2)) == chain.prefix(2).map { Base64.encode($0.der) }, "other certificates")
        try expect(other.object["crit"] == nil && other.object["b64"] == nil, "an extension that nobody understands")
    }

    /// A payload with a good signature verifies if another parser finds a time in it at which the chain is valid.
    private func checkPayload(_ payload: [UInt8]) throws {
        let header = Self.header(chain.map(\.der))
        guard let verified = try verified(signed(header: header, payload: payload)) else { return }
        try expect(verified.json == payload, "another payload")
        try expect(verified.isOfTestRoot, "a root of tests counts as Apple's")
        let other = try OtherParser(payload)
        let time = other.integer("signedDate") ?? other.integer("receiptCreationDate")
        try expect(time == verified.signedAt, "another time")
        let valid = Self.first * 1_000..<Self.last * 1_000
        try expect(
            valid.contains(verified.signedAt) && verified.signedAt <= Self.now + SignedDataVerifier.clockTolerance,
            "a time at which the chain is not valid")
    }

    /// No change of a byte of leaf or authority is accepted, though the leaf's key has signed.
    private func checkCertificate(_ reader: inout InputReader) throws {
        let changed = Int(reader.byte() % 2)
        var ders = chain.map(\.der)
        let place = (Int(reader.byte()) << 8 | Int(reader.byte())) % ders[changed].count
        let change = reader.byte()
        ders[changed][place] ^= change
        let text = try signed(header: Self.header(ders), payload: Array(Self.payload.utf8))
        let isAccepted = try verified(text) != nil
        try expect(isAccepted == (change == 0), "byte \(place) of certificate \(changed) changed by \(change)")
    }

    /// A header with these certificates.
    private static func header(_ ders: [[UInt8]]) -> [UInt8] {
        let texts = ders.map { "\"" + Base64.encode($0) + "\"" }.joined(separator: ",")
        return Array("{\"alg\":\"ES256\",\"x5c\":[\(texts)]}".utf8)
    }

    private func signed(header: [UInt8], payload: [UInt8]) throws -> [UInt8] {
        var text: [UInt8] = []
        Base64.encode(header, .urlSafe, into: &text)
        text.append(UInt8(ascii: "."))
        Base64.encode(payload, .urlSafe, into: &text)
        guard let signature = ECDSASignature.concatenated(der: try key.signature(of: text)) else {
            throw Finding("no signature")
        }
        text.append(UInt8(ascii: "."))
        Base64.encode(signature, .urlSafe, into: &text)
        return text
    }

    /// What verifies; nil for a refusal, which must be one short line.
    private func verified(_ text: [UInt8]) throws -> VerifiedPayload? {
        do throws(SignedDataError) {
            return try verifier.verify(text, now: Self.now)
        } catch {
            try expect(!error.field.isEmpty && !error.rule.isEmpty, "a refusal without field or rule")
            try Readable.check(error.description, limit: 300)
            return nil
        }
    }
}
