/// The exact bytes that a signature covers: values joined by U+2063, INVISIBLE SEPARATOR, with none at either end.
///
/// Integers stand in plain decimal, booleans as `true` and `false`. Source: Apple, "Combining parameters for previous
/// SKAdNetwork postback versions".
public struct SignedMessage: Sendable, Hashable {
    /// The UTF-8 bytes that SHA-256 is taken of.
    public private(set) var bytes: [UInt8] = []

    /// The UTF-8 bytes of the separator, U+2063.
    public static let separator: [UInt8] = [0xE2, 0x81, 0xA3]

    init(_ layout: SignedLayout, of source: some SignedMessageSource) {
        bytes.reserveCapacity(192)
        for place in layout.places {
            switch place {
            case .required(let field), .optional(let field):
                source.appendSignedValue(of: field, to: &self)
            case .either(let first, let second):
                source.appendSignedValue(of: first, to: &self)
                source.appendSignedValue(of: second, to: &self)
            }
        }
    }

    mutating func append(_ text: String) {
        if !bytes.isEmpty { bytes.append(contentsOf: Self.separator) }
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ integer: some BinaryInteger) {
        append(String(integer))
    }

    mutating func append(_ flag: Bool) {
        append(flag ? "true" : "false")
    }
}

/// Something whose fields are signed: it knows each field's value, the layout knows their order.
protocol SignedMessageSource {
    /// Appends the value of the field; appends nothing where the field is absent.
    func appendSignedValue(of field: WireField, to message: inout SignedMessage)
}
