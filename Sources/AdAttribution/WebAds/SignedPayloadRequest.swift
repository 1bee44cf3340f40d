import StrictJSON

/// The request of a device after a click on the link of a web ad: it asks for the signed payload of the link's nonce.
///
/// Source: Apple, "Generating a signature for attributable web ads".
public struct SignedPayloadRequest: Sendable, Hashable {
    /// `source_domain`: the network's domain, which the answer repeats and signs.
    public let sourceDomain: SourceDomain
    /// `source_nonce`, decoded from base64url.
    public let nonce: Nonce

    /// Reads the body of a request.
    ///
    /// Unknown keys are ignored.
    ///
    /// - Throws: `ImpressionError` with the field or the byte that broke a rule.
    public init(json: [UInt8]) throws(ImpressionError) {
        self = try json.withUnsafeBufferPointer { (bytes) throws(ImpressionError) in
            let fields: WireFields<SignedPayloadField>
            do throws(JSONError) {
                fields = try WireFields(bytes, maximumDepth: Postback.maximumDepth)
            } catch {
                throw .json(byteOffset: error.offset, rule: error.rule.rawValue)
            }
            do throws(FieldError) {
                return try SignedPayloadRequest(fields)
            } catch {
                throw .field(error)
            }
        }
    }

    private init(_ fields: WireFields<SignedPayloadField>) throws(FieldError) {
        let version = try fields.required(.version, fields.text(.version, as: SKAdNetworkVersion.self))
        // A later version asks for the same, and the answer says for which version it was signed.
        guard version >= .v4_0 else {
            throw FieldError(SignedPayloadField.version, "must be 4.0 or later", value: version.description)
        }
        _ = try fields.required(
            .sourceEngagementType, fields.text(.sourceEngagementType, as: SourceEngagementType.self))
        sourceDomain = try fields.required(.sourceDomain, fields.text(.sourceDomain, as: SourceDomain.self))
        nonce = try fields.required(.sourceNonce, fields.text(.sourceNonce, as: SourceNonce.self)).nonce
    }
}

/// The kind of engagement.
///
/// There is only one.
private enum SourceEngagementType: String, TextWireValue {
    case click = "click_to_App_Store"

    init?(_ text: String) {
        self.init(rawValue: text)
    }

    static let rule = "click_to_App_Store"
}

/// A nonce in the form of a link.
private struct SourceNonce: TextWireValue {
    let nonce: Nonce

    init?(_ text: String) {
        guard let nonce = Nonce(base64URL: text) else { return nil }
        self.nonce = nonce
    }

    static let rule = "the 16 bytes of a UUID in base64url without padding"
}
