import Encodings
import StrictJSON

/// The parts of a JSON Web Signature in compact form with ES256, not verified.
///
/// The algorithm is fixed, whatever a header names. The signature covers the text as received: Apple's header escapes a
/// slash, which encoding it again would not.
/// Sources: RFC 7515, section 3.1; RFC 7518, section 3.4; Apple, AdAttributionKit, "Verifying a postback".
package struct CompactJWS: Sendable {
    /// `kid`: the name of the key that the header claims.
    let keyID: String
    /// The header, decoded.
    let header: [UInt8]
    /// The payload, decoded.
    let payload: [UInt8]
    /// The signature as ASN.1 DER.
    let signature: [UInt8]
    /// The bytes that the signature covers: the first two parts and the dot between them, as received.
    let signedMessage: SignedMessage

    /// The only algorithm: ECDSA on P-256 over SHA-256.
    static let algorithm = "ES256"

    /// Reads a text.
    ///
    /// - Throws: `FieldError` that names `jws-string`, or the member of the header that broke a rule.
    init(_ text: [UInt8]) throws(FieldError) {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Self.decoded(parts[0]), let payload = Self.decoded(parts[1]),
            let concatenated = Self.decoded(parts[2])
        else {
            throw FieldError(
                field: EnvelopeField.jwsString.name,
                rule: "must be three parts of unpadded base64url with dots between them")
        }
        guard let signature = ECDSASignature.der(concatenated: concatenated) else {
            throw FieldError(field: EnvelopeField.jwsString.name, rule: "must have a signature of 64 bytes, R and S")
        }
        keyID = try Self.keyID(of: header)
        self.header = header
        self.payload = payload
        self.signature = signature
        signedMessage = SignedMessage(bytes: Array(text[..<parts[1].endIndex]))
    }

    /// Signs a payload, with `kid` in the header.
    ///
    /// - Returns: The compact form.
    /// - Throws: `KeyError` if the key is not on P-256, or if libcrypto fails.
    package static func sign(_ payload: [UInt8], keyID: String, with key: SigningKey) throws(KeyError) -> String {
        guard key.curve == .p256 else { throw .wrongCurve }
        return try sign(payload, keyID: keyID) { (text) throws(KeyError) in try key.signature(of: text) }
    }

    /// Signs a payload with a function that makes DER signatures on P-256.
    package static func sign(
        _ payload: [UInt8], keyID: String, with signature: ([UInt8]) throws(KeyError) -> [UInt8]
    ) throws(KeyError) -> String {
        let header = "{\"kid\":\(JSONText.quoted(keyID)),\"alg\":\"\(algorithm)\"}"
        let text = Base64.encode(Array(header.utf8), .urlSafe) + "." + Base64.encode(payload, .urlSafe)
        let der = try signature(Array(text.utf8))
        guard let concatenated = ECDSASignature.concatenated(der: der) else { throw .unavailable }
        return text + "." + Base64.encode(concatenated, .urlSafe)
    }

    /// The object of the payload.
    func withPayload<Field, Result>(
        _ names: WireFieldNames<Field>, _ body: (WireFields<Field>) throws(FieldError) -> Result
    ) throws(FieldError) -> Result {
        try payload.withUnsafeBufferPointer { (bytes) throws(FieldError) in
            try body(try Self.object(bytes, names, "payload"))
        }
    }

    private static func keyID(of header: [UInt8]) throws(FieldError) -> String {
        try header.withUnsafeBufferPointer { (bytes) throws(FieldError) in
            let fields: WireFields<JWSHeaderField> = try object(bytes, JWSHeaderField.names, "header")
            guard fields.string(.algorithm) == algorithm else {
                throw FieldError(JWSHeaderField.algorithm, "must be \(algorithm)")
            }
            // Critical extensions: a reader must understand them, and this one understands none.
            guard !fields.has(.critical) else { throw FieldError(JWSHeaderField.critical, "must not be there") }
            guard let keyID = fields.string(.keyID), (1...64).contains(keyID.utf8.count) else {
                throw FieldError(JWSHeaderField.keyID, "must be a string of 1 to 64 bytes")
            }
            return keyID
        }
    }

    private static func object<Field>(
        _ bytes: UnsafeBufferPointer<UInt8>, _ names: WireFieldNames<Field>, _ part: String
    ) throws(FieldError) -> WireFields<Field> {
        do throws(JSONError) {
            return try WireFields(bytes, names: names, maximumDepth: Postback.maximumDepth)
        } catch {
            throw FieldError(
                field: EnvelopeField.jwsString.name, rule: "\(part), byte \(error.offset): \(error.rule.rawValue)")
        }
    }

    private static func decoded(_ part: ArraySlice<UInt8>) -> [UInt8]? {
        part.isEmpty ? nil : part.withUnsafeBufferPointer { Base64.decode($0, .urlSafe) }
    }
}

/// The members of a JOSE header that we read (RFC 7515, section 4.1).
enum JWSHeaderField: String, WireFieldName {
    case algorithm = "alg"
    case critical = "crit"
    case keyID = "kid"

    static let names = WireFieldNames<Self>()
}
