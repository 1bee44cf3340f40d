import StrictJSON

/// Why a postback is not counted: the field or the byte, and the rule.
///
/// It may be shown to the sender.
public struct PostbackRejection: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of refusal, in the order in which they are checked.
    public enum Reason: String, Sendable, CaseIterable {
        /// The body has too many bytes.
        case tooLarge = "too_large"
        /// Not a postback: not JSON, or a field that is missing, out of range or of the wrong type.
        case malformed
        /// A version that this build can't verify.
        case unsupportedVersion = "unsupported_version"
        /// Neither the network nor the app is one of the key ring.
        case unknownNetwork = "unknown_network"
        /// No key verifies the signature over the fields as received.
        case invalidSignature = "invalid_signature"
    }

    /// The kind of refusal.
    public let reason: Reason
    /// The wire name of the wrong field; nil if it is not a single field.
    public let field: String?
    /// The offset of the byte at which the body is not JSON; nil for other reasons.
    public let byteOffset: Int?
    /// The rule that was broken.
    public let rule: String
    /// The exact bytes that the signature was checked over, if it was checked.
    public let checkedMessage: [UInt8]?
    /// What the body names; nil if it is not a JSON object.
    package let claims: PostbackClaims?
    /// The transaction, if Apple signed the postback, but it is refused for another reason (`unknown_network`).
    package let genuineTransaction: GenuineTransaction?

    /// Field or byte, and the rule, in one line.
    ///
    /// It contains no value of the body.
    public var detail: String {
        if let field { return "\(field): \(rule)" }
        if let byteOffset { return "byte \(byteOffset): \(rule)" }
        return rule
    }

    /// The reason and `detail` in one line.
    public var description: String { "\(reason.rawValue): \(detail)" }

    init(
        _ reason: Reason, field: String? = nil, byteOffset: Int? = nil, rule: String, checkedMessage: [UInt8]? = nil,
        claims: PostbackClaims? = nil, genuineTransaction: GenuineTransaction? = nil
    ) {
        self.reason = reason
        self.field = field
        self.byteOffset = byteOffset
        self.rule = rule
        self.checkedMessage = checkedMessage
        self.claims = claims
        self.genuineTransaction = genuineTransaction
    }

    /// A body above `Postback.maximumBodySize`.
    public static let tooLarge = PostbackRejection(
        .tooLarge, field: "body", rule: "must have at most \(Postback.maximumBodySize) bytes")

    static func malformed(_ error: JSONError) -> PostbackRejection {
        PostbackRejection(.malformed, byteOffset: error.offset, rule: error.rule.rawValue)
    }

    static func malformed(_ error: FieldError, _ claims: PostbackClaims) -> PostbackRejection {
        PostbackRejection(.malformed, field: error.field, rule: error.rule, claims: claims)
    }

    static func unsupportedVersion(_ version: SKAdNetworkVersion, _ claims: PostbackClaims) -> PostbackRejection {
        PostbackRejection(
            .unsupportedVersion, field: PostbackField.version.name,
            rule: "\(version) is not a version that can be verified", claims: claims)
    }

    static func unknownNetwork(_ postback: Postback, _ genuine: GenuineTransaction?) -> PostbackRejection {
        PostbackRejection(
            .unknownNetwork, field: postback.layout.fields.first { $0.column == .adNetworkID }?.name,
            rule: "neither the network nor the app is in the key ring", claims: PostbackClaims(postback),
            genuineTransaction: genuine)
    }

    static func invalidSignature(_ postback: Postback) -> PostbackRejection {
        let (field, rule): (EnvelopeField, String) =
            switch postback.attributionProtocol {
            case .skAdNetwork:
                (
                    .attributionSignature,
                    "no key on \(postback.curve == .p192 ? "P-192" : "P-256") verifies it over the signed fields"
                )
            case .adAttributionKit:
                (.jwsString, "the key that kid names does not verify it, or is not known")
            }
        return PostbackRejection(
            .invalidSignature, field: field.name, rule: rule, checkedMessage: postback.signedMessage.bytes,
            claims: PostbackClaims(postback))
    }
}
