import Encodings

/// The exact bytes that a signature covers: values joined by U+2063, INVISIBLE SEPARATOR, with none at either end.
///
/// Integers stand in plain decimal, booleans as `true` and `false`. AdAttributionKit signs another kind of bytes, the
/// two parts of a compact JWS. Source: Apple, "Combining parameters for previous SKAdNetwork postback versions".
public struct SignedMessage: Sendable, Hashable {
    /// The UTF-8 bytes that SHA-256 is taken of.
    public private(set) var bytes: [UInt8] = []

    /// The UTF-8 bytes of the separator, U+2063.
    public static let separator: [UInt8] = [0xE2, 0x81, 0xA3]

    package init(_ layout: SignedLayout, of source: some SignedMessageSource) {
        bytes.reserveCapacity(192)
        for field in layout.fields { source.appendSignedValue(of: field, to: &self) }
    }

    /// Bytes that are signed as they are, as a JSON Web Signature signs its text.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The value of one field alone; empty where it is absent.
    package init(_ field: WireField, of source: some SignedMessageSource) {
        source.appendSignedValue(of: field, to: &self)
    }

    package mutating func append(_ text: String) {
        appendSeparator()
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func appendSeparator() {
        if !bytes.isEmpty { bytes.append(contentsOf: Self.separator) }
    }

    package mutating func append(_ integer: some BinaryInteger) {
        appendSeparator()
        DecimalText.append(integer, to: &bytes)
    }

    package mutating func append(_ flag: Bool) {
        append(flag ? "true" : "false")
    }
}

/// Something whose fields are signed: it knows each field's value, the layout knows their order.
package protocol SignedMessageSource {
    /// Appends the value of the field; appends nothing where the field is absent.
    func appendSignedValue(of field: WireField, to message: inout SignedMessage)
}
