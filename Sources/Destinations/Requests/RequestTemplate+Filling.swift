import Encodings

extension RequestTemplate {
    /// The plain text for an event.
    func plainText(_ values: EventValues) throws(UnsendableEvent) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .macro(let macro): text += try values.text(of: macro)
            case .secret(let name): text += Self.placeholder(name)
            }
        }
        return text
    }

    /// A URL for an event: values are percent-encoded, secrets still stand as placeholders.
    ///
    /// No value has a brace afterwards, so nobody can make a placeholder out of one.
    func url(_ values: EventValues) throws(UnsendableEvent) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal):
                text += Self.replacingBraces(of: literal, with: "%7B", "%7D")
            case .macro(let macro): text += PercentEncoding.text(try values.text(of: macro))
            case .secret(let name): text += Self.placeholder(name)
            }
        }
        return text
    }

    /// The value of a header for an event: secrets still stand as placeholders, and other braces stand twice.
    ///
    /// So nobody can make a placeholder out of a value, such as his User-Agent.
    func headerValue(_ values: EventValues, name: String) throws(UnsendableEvent) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += Self.escaped(literal)
            case .macro(let macro):
                let value = try values.text(of: macro)
                guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                    throw UnsendableEvent(
                        "{\(macro.rawValue)} has a control character, which the header \(name) can't have")
                }
                text += Self.escaped(value)
            case .secret(let name): text += Self.placeholder(name)
            }
        }
        return text
    }

    /// A text that a template has as it is: its braces stand twice.
    static func escaped(_ text: String) -> String { replacingBraces(of: text, with: "{{", "}}") }

    private static func placeholder(_ name: SecretName) -> String { "{secret:\(name)}" }

    /// The text with others in place of braces, byte by byte: a brace and a mark behind it are one character.
    private static func replacingBraces(of text: String, with open: String, _ close: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "{"): bytes += Array(open.utf8)
            case UInt8(ascii: "}"): bytes += Array(close.utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text of a request that was prepared, with its secrets.
    ///
    /// - Parameter secret: The secret as it stands in this place.
    func filled<Problem: Error>(_ secret: (SecretName) throws(Problem) -> String) throws(Problem) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            // What was prepared has no macro.
            case .macro(let macro): text += "{\(macro.rawValue)}"
            case .secret(let name): text += try secret(name)
            }
        }
        return text
    }
}
