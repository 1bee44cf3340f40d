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

    /// The values of the places in order; a value that is absent leaves no separator.
    package init(_ values: some Sequence<FieldValue?>) {
        bytes.reserveCapacity(192)
        for case let value? in values { append(value) }
    }

    /// Bytes that are signed as they are, as a JSON Web Signature signs its text.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func append(_ value: FieldValue) {
        if !bytes.isEmpty { bytes.append(contentsOf: Self.separator) }
        switch value {
        case .boolean(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .integer(let integer): DecimalText.append(integer, to: &bytes)
        case .text(let text), .uuid(_, let text): bytes.append(contentsOf: text.utf8)
        }
    }
}
