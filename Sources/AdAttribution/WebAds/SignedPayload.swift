import StrictJSON

/// The request of a device after a click on the link of a web ad: it asks for the signed payload of the link's nonce.
///
/// Source: Apple, "Generating a signature for attributable web ads".
package struct SignedPayloadRequest: Sendable, Hashable {
    /// `source_domain`: the network's domain, which the answer repeats and signs.
    package let sourceDomain: SourceDomain
    /// `source_nonce`, decoded from base64url.
    package let nonce: Nonce

    /// Reads the body of a request.
    ///
    /// Unknown keys are ignored.
    ///
    /// - Throws: `ImpressionError` with the field or the byte that broke a rule.
    package init(json: [UInt8]) throws(ImpressionError) {
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

extension SignedPayloadRequest {
    /// The fields of a request, all of which must be there.
    package static let described = [
        DescribedField(SignedPayloadField.version.rawValue, .text(SKAdNetworkVersion.self)),
        DescribedField(SignedPayloadField.sourceEngagementType.rawValue, .text(SourceEngagementType.self)),
        DescribedField(SignedPayloadField.sourceDomain.rawValue, .text(SourceDomain.self)),
        DescribedField(SignedPayloadField.sourceNonce.rawValue, .text(SourceNonce.self)),
    ]

    /// The fields of the answer, all of which are there.
    package static let describedAnswer = [
        DescribedField(SignedPayloadField.version.rawValue, .text(SKAdNetworkVersion.self)),
        DescribedField(SignedPayloadField.adNetworkID.rawValue, .text(AdNetworkID.self)),
        DescribedField(SignedPayloadField.sourceIdentifier.rawValue, .integer(SourceIdentifier.self)),
        DescribedField(SignedPayloadField.itunesItemID.rawValue, .integer(AdvertisedAppID.self)),
        DescribedField(SignedPayloadField.nonce.rawValue, .text(Nonce.self)),
        DescribedField(SignedPayloadField.sourceDomain.rawValue, .text(SourceDomain.self)),
        DescribedField(SignedPayloadField.timestamp.rawValue, .integer(MillisecondTimestamp.self)),
        DescribedField(SignedPayloadField.signature.rawValue, .string, rule: "a signature in base64"),
    ]
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

/// The names in a web ad's request and answer.
///
/// Apple writes them with underscores.
///
/// Source: Apple, "Generating a signature for attributable web ads".
enum SignedPayloadField: String, WireFieldName {
    case adNetworkID = "ad_network_id"
    case itunesItemID = "itunes_item_id"
    case nonce
    case signature
    case sourceDomain = "source_domain"
    case sourceEngagementType = "source_engagement_type"
    case sourceIdentifier = "source_identifier"
    case sourceNonce = "source_nonce"
    case timestamp
    case version

    static let names = WireFieldNames<Self>()
}

extension SignedImpression {
    /// The answer to a `SignedPayloadRequest`, as one line of JSON; nil if this is not a web ad.
    ///
    /// Identifiers and timestamp are integers, the others strings. The fidelity type is signed, but not in the answer.
    /// Source: Apple, "Generating a signature for attributable web ads".
    package var signedPayloadJSON: [UInt8]? {
        guard let domain = impression.source?.domain else { return nil }
        typealias Field = SignedPayloadField
        var object = JSONObjectText()
        object.append(Field.version.rawValue, impression.version.description)
        object.append(Field.adNetworkID.rawValue, impression.adNetworkID.text)
        // It is an integer here. Its text is plain decimal.
        object.append(Field.sourceIdentifier.rawValue, json: impression.campaign.text.utf8)
        object.append(Field.itunesItemID.rawValue, impression.itunesItemID.value)
        object.append(Field.nonce.rawValue, impression.nonce.text)
        object.append(Field.sourceDomain.rawValue, domain.text)
        object.append(Field.timestamp.rawValue, impression.timestamp.milliseconds)
        object.append(Field.signature.rawValue, base64: signature)
        return object.finished()
    }
}
