import ECDSA
import Encodings
import StrictJSON

/// The parts of signed data, not verified: a JSON Web Signature in compact form with certificates in its header.
///
/// The algorithm is ES256, whatever a header names. The signature covers the text as received.
/// Sources: RFC 7515, sections 3.1 and 4.1.6; RFC 7518, section 3.4; RFC 7797, section 3.
struct SignedData: Sendable {
    /// The first certificate, as DER.
    let leaf: [UInt8]
    /// The second certificate, as DER.
    let intermediate: [UInt8]
    /// The payload, one JSON object.
    let payload: [UInt8]
    /// When it was signed, by the payload's word: milliseconds since 1970, never negative.
    let signedAt: Int64
    /// The signature as ASN.1 DER.
    let signature: [UInt8]
    /// The bytes that the signature covers.
    let message: [UInt8]

    /// Reads a text.
    init(_ text: [UInt8]) throws(SignedDataError) {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Self.decoded(parts[0]), let payload = Self.decoded(parts[1]),
            let numbers = Self.decoded(parts[2])
        else { throw .malformed("jws", "must be three parts of unpadded base64url with dots between them") }
        guard let signature = ECDSASignature.der(concatenated: numbers) else {
            throw .malformed("signature", "must have 64 bytes, R and S")
        }
        (leaf, intermediate) = try header.withUnsafeBufferPointer { (bytes) throws(SignedDataError) in
            try Self.certificates(in: bytes)
        }
        signedAt = try payload.withUnsafeBufferPointer { (bytes) throws(SignedDataError) in
            try Self.signingTime(in: bytes)
        }
        self.payload = payload
        self.signature = signature
        message = Array(text[..<parts[1].endIndex])
    }

    /// The two certificates of a header that are used.
    private static func certificates(
        in header: UnsafeBufferPointer<UInt8>
    ) throws(SignedDataError) -> (leaf: [UInt8], intermediate: [UInt8]) {
        let members = try members(["alg", "b64", "crit", "kid", "x5c"], of: header, "header")
        guard case .string(let algorithm)? = members["alg"], JSONToken.text(header, algorithm) == "ES256" else {
            throw .malformed("alg", "must be ES256")
        }
        // Critical extensions, and one that changes what is signed: a reader must understand them.
        for name in ["b64", "crit"] where members[name] != nil { throw .malformed(name, "must not be there") }
        switch members["kid"] {
        case .none, .some(.string): break
        default: throw .malformed("kid", "must be a string")
        }
        guard case .array(let range)? = members["x5c"] else {
            throw .malformed("x5c", "must be an array of certificates")
        }
        let array = UnsafeBufferPointer(rebasing: header[range])
        var certificates: [[UInt8]?] = []
        do throws(JSONError) {
            var scanner = JSONScanner(array, maximumDepth: SignedDataVerifier.maximumDepth)
            try scanner.scanArrayDocument { (token, _) throws(JSONError) in
                certificates.append(certificate(token, array))
            }
        } catch {
            throw .malformed("x5c", error.rule.rawValue)
        }
        guard certificates.count == 3 else {
            throw SignedDataError(.untrustedChain, field: "x5c", rule: "must have three certificates")
        }
        // The third is a root that nobody here trusts because it is named.
        guard let leaf = certificates[0], let intermediate = certificates[1], certificates[2] != nil else {
            throw .malformed("x5c", "must have strings of padded base64")
        }
        return (leaf, intermediate)
    }

    private static func certificate(_ token: JSONToken, _ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard case .string(let range) = token else { return nil }
        return JSONEscape.unescape(bytes, range).withUnsafeBufferPointer { Base64.decode($0) }
    }

    /// `signedDate` of a payload, or `receiptCreationDate`, which app transactions have.
    private static func signingTime(in payload: UnsafeBufferPointer<UInt8>) throws(SignedDataError) -> Int64 {
        let names = ["signedDate", "receiptCreationDate"]
        let members = try members(names, of: payload, "payload")
        for name in names {
            switch members[name] {
            case .none, .some(.null): continue
            case .some(.integer(let milliseconds)) where milliseconds >= 0: return milliseconds
            default: throw .malformed(name, "must be an integer from 0: milliseconds since 1970")
            }
        }
        throw .malformed("signedDate", "is missing")
    }

    /// The members of an object that have these names.
    private static func members(
        _ names: [String], of bytes: UnsafeBufferPointer<UInt8>, _ part: String
    ) throws(SignedDataError) -> [String: JSONToken] {
        var members: [String: JSONToken] = [:]
        do throws(JSONError) {
            var scanner = JSONScanner(bytes, maximumDepth: SignedDataVerifier.maximumDepth)
            try scanner.scanDocument { (key, token) throws(JSONError) in
                let name = JSONToken.text(bytes, key)
                if names.contains(name) { members[name] = token }
            }
        } catch {
            throw .malformed(part, "byte \(error.offset): \(error.rule.rawValue)")
        }
        return members
    }

    private static func decoded(_ part: ArraySlice<UInt8>) -> [UInt8]? {
        part.isEmpty ? nil : part.withUnsafeBufferPointer { Base64.decode($0, .urlSafe) }
    }
}

extension SignedDataError {
    /// A refusal because of the form.
    fileprivate static func malformed(_ field: String, _ rule: String) -> SignedDataError {
        SignedDataError(.malformed, field: field, rule: rule)
    }
}
