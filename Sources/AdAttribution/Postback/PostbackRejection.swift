/// Why a postback is not counted: which field, or which byte, broke which rule.
///
/// A value, fit to be shown to the sender.
public struct PostbackRejection: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of refusal, in the order in which they are checked.
    public enum Reason: String, Sendable, CaseIterable {
        /// More bytes than a postback may have.
        case tooLarge = "too_large"
        /// Not a postback: not JSON, or a field that is missing, out of range or of the wrong type.
        case malformed
        /// A version that this build can't verify; it is never guessed at.
        case unsupportedVersion = "unsupported_version"
        /// Neither the network nor the app is one of the key ring.
        case unknownNetwork = "unknown_network"
        /// No key verifies the signature over the fields as received.
        case invalidSignature = "invalid_signature"
    }

    /// The kind of refusal.
    public let reason: Reason
    /// The field under its wire name, or nil where no single field is at fault.
    public let field: String?
    /// The offset of the byte at which the body stops being JSON, or nil.
    public let byteOffset: Int?
    /// The rule that was broken.
    public let rule: String
    /// The exact bytes that were checked against the signature, where it came to that.
    public let checkedMessage: [UInt8]?
    /// The network that the body names, as far as it could be read; it proves nothing.
    public let claimedNetwork: AdNetworkID?
    /// The advertised app that the body names, likewise.
    public let claimedApp: AppID?

    /// Field or byte, and the rule, in one line; holds no value out of the body.
    public var detail: String {
        if let field { return "\(field): \(rule)" }
        if let byteOffset { return "byte \(byteOffset): \(rule)" }
        return rule
    }

    /// The reason and `detail` in one line.
    public var description: String { "\(reason.rawValue): \(detail)" }

    init(
        _ reason: Reason, field: String? = nil, byteOffset: Int? = nil, rule: String, checkedMessage: [UInt8]? = nil,
        claimedNetwork: AdNetworkID? = nil, claimedApp: AppID? = nil
    ) {
        self.reason = reason
        self.field = field
        self.byteOffset = byteOffset
        self.rule = rule
        self.checkedMessage = checkedMessage
        self.claimedNetwork = claimedNetwork
        self.claimedApp = claimedApp
    }

    /// A body above `Postback.maximumBodySize`.
    public static let tooLarge = PostbackRejection(
        .tooLarge, field: "body", rule: "must have at most \(Postback.maximumBodySize) bytes")

    static func malformed(_ error: JSONError) -> PostbackRejection {
        PostbackRejection(.malformed, byteOffset: error.offset, rule: error.rule.rawValue)
    }

    static func malformed(_ error: FieldError, in fields: WireFields) -> PostbackRejection {
        PostbackRejection(
            .malformed, field: error.field, rule: error.rule, claimedNetwork: fields.claimedNetwork,
            claimedApp: fields.claimedApp)
    }

    static func unsupportedVersion(_ version: SKAdNetworkVersion, in fields: WireFields) -> PostbackRejection {
        PostbackRejection(
            .unsupportedVersion, field: WireField.version.rawValue,
            rule: "\(version) is not a version that can be verified", claimedNetwork: fields.claimedNetwork,
            claimedApp: fields.claimedApp)
    }

    static func unknownNetwork(_ postback: Postback) -> PostbackRejection {
        PostbackRejection(
            .unknownNetwork, field: WireField.adNetworkID.rawValue,
            rule: "neither the network nor the app is in the key ring", claimedNetwork: postback.adNetworkID,
            claimedApp: postback.advertisedAppID)
    }

    static func invalidSignature(_ postback: Postback, over message: SignedMessage) -> PostbackRejection {
        PostbackRejection(
            .invalidSignature, field: WireField.attributionSignature.rawValue,
            rule: "no key on \(postback.curve == .p192 ? "P-192" : "P-256") verifies it over the signed fields",
            checkedMessage: message.bytes, claimedNetwork: postback.adNetworkID,
            claimedApp: postback.advertisedAppID)
    }
}

extension WireFields {
    /// The network that the object names, whatever else is wrong with it.
    fileprivate var claimedNetwork: AdNetworkID? { try? text(.adNetworkID, as: AdNetworkID.self) }

    /// The advertised app that the object names, whatever else is wrong with it.
    fileprivate var claimedApp: AppID? { try? integer(.appID, as: AppID.self) }
}
