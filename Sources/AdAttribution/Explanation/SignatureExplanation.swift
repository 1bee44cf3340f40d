import Encodings

/// What a signature covers, for people: the fields in order, the signed string, its bytes and their SHA-256.
///
/// Any other program can check the signature with it.
public struct SignatureExplanation: Sendable, CustomStringConvertible {
    /// What was signed and how, in one line.
    public let title: String
    /// The signed fields by their wire names, or the parts of a JWS, in order.
    public let fields: [(name: String, value: String)]
    /// The bytes that SHA-256 is computed over.
    public let message: [UInt8]
    /// The signature as ASN.1 DER.
    public let signature: [UInt8]

    /// An impression of SKAdNetwork.
    public init(_ signed: SignedImpression) {
        let impression = signed.impression
        title = Self.title("SKAdNetwork \(impression.version) impression", impression.layout.curve)
        fields = Self.fields(impression.layout.fields.map { ($0.name, impression.values[$0]) })
        message = impression.signedMessage.bytes
        signature = signed.signature
    }

    /// An impression of AdAttributionKit.
    public init(_ signed: SignedAdAttributionKitImpression) {
        self.init("AdAttributionKit impression", signed.jws)
    }

    /// A postback of either protocol.
    public init(_ postback: Postback) {
        if let jws = postback.content.jws {
            self.init("AdAttributionKit postback", jws)
        } else {
            let name = "SKAdNetwork \(postback.version?.description ?? "") postback"
            self.init(
                title: Self.title(name, postback.curve),
                fields: Self.fields(
                    postback.layout.signedFields.enumerated().map { ($1.name, postback.content.value($0)) }),
                message: postback.signedMessage.bytes, signature: postback.signature)
        }
    }

    private init(
        title: String, fields: [(name: String, value: String)], message: [UInt8], signature: [UInt8]
    ) {
        self.title = title
        self.fields = fields
        self.message = message
        self.signature = signature
    }

    /// The fields that are present.
    private static func fields(_ all: [(name: String, value: FieldValue?)]) -> [(name: String, value: String)] {
        all.compactMap { name, value in
            value.map { (name, visible(SignedMessage([$0]).bytes)) }
        }
    }

    private init(_ what: String, _ jws: CompactJWS) {
        title = "\(what), ES256 over the text of header and payload as it stands, with a dot between them"
        fields = [("header", Self.visible(jws.header)), ("payload", Self.visible(jws.payload))]
        message = jws.signedMessage.bytes
        signature = jws.signature
    }

    private static func title(_ what: String, _ curve: Curve) -> String {
        "\(what), ECDSA on \(curve == .p192 ? "P-192" : "P-256") over these fields in this order, with U+2063 "
            + "(\(separator) below) between them"
    }

    /// The lines as `adsign --explain` shows them, without a line end after the last one.
    public var description: String {
        let width = fields.map(\.name.count).max() ?? 0
        let rows = fields.enumerated().map { index, field in
            let padding = String(repeating: " ", count: width - field.name.count)
            return "  \(index + 1 < 10 ? " " : "")\(index + 1)  \(field.name)\(padding)  \(field.value)"
        }
        let digest = Hexadecimal.text(SHA256.digest(message))
        return
            ([title + ":"] + rows + [
                "string     \(Self.visible(message))",
                "bytes      \(Hexadecimal.text(message))",
                "length     \(message.count)",
                "SHA-256    \(digest)",
                "signature  \(Base64.encode(signature))",
            ]).joined(separator: "\n")
    }

    /// The character that shows the separator.
    ///
    /// No signed value contains it.
    private static let separator = "·"

    /// A text that can't control a terminal: characters that are not printable ASCII are shown by their numbers.
    private static func visible(_ bytes: [UInt8]) -> String {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case 0x2063: text += separator
            case 0x20...0x7E: text.unicodeScalars.append(scalar)
            default: text += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text
    }
}
