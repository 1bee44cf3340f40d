import Encodings
import StrictJSON

/// A text with macros such as `{campaign-id}`, and with secrets such as `{secret:branch-token}`.
///
/// A brace that stands for itself is written twice.
package struct RequestTemplate: Sendable, Equatable {
    /// A piece of it.
    enum Part: Sendable, Equatable {
        /// Text that stays as it is; a brace in it stands once.
        case literal(String)
        case macro(Macro)
        case secret(SecretName)
    }

    /// The text as the file writes it.
    package let text: String
    let parts: [Part]

    /// Reads a text.
    ///
    /// - Throws: The first rule that it breaks.
    package init(_ text: String) throws(TemplateError) {
        var parts: [Part] = []
        var literal: [UInt8] = []
        func endLiteral() {
            guard !literal.isEmpty else { return }
            parts.append(.literal(String(decoding: literal, as: UTF8.self)))
            literal = []
        }
        let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == open || byte == close else {
                literal.append(byte)
                continue
            }
            if rest.first == byte {
                rest.removeFirst()
                literal.append(byte)
                continue
            }
            guard byte == open, let end = rest.firstIndex(of: close) else { throw .singleBrace }
            endLiteral()
            parts.append(try Self.part(String(decoding: rest[..<end], as: UTF8.self)))
            rest = rest[(end + 1)...]
        }
        endLiteral()
        self.text = text
        self.parts = parts
    }

    private static func part(_ name: String) throws(TemplateError) -> Part {
        let prefix = "secret:"
        guard name.hasPrefix(prefix) else {
            guard let macro = Macro(rawValue: name) else { throw .unknownMacro(name) }
            return .macro(macro)
        }
        guard let secret = SecretName(String(name.dropFirst(prefix.count))) else { throw .wrongSecret }
        return .secret(secret)
    }

    /// The secrets that it names, in order.
    package var secrets: [SecretName] {
        parts.compactMap { part in
            if case .secret(let name) = part { name } else { nil }
        }
    }
}

/// Why a text is no template.
package struct TemplateError: Error, Sendable, Equatable {
    /// The rule that it breaks, a whole clause about the text.
    package let rule: String

    static let singleBrace = TemplateError(
        rule: "must have a macro such as {campaign-id} in each pair of braces; a brace that stands for itself is "
            + "written twice")

    static let wrongSecret = TemplateError(rule: "has {secret:…} with a wrong name: it must be \(SecretName.rule)")

    static func unknownMacro(_ name: String) -> TemplateError {
        TemplateError(rule: "has the unknown macro {\(JSONText.shown(name))}")
    }
}

/// A header of a destination's requests.
package struct HeaderTemplate: Sendable, Equatable {
    /// The name, as the file writes it.
    package let name: String
    /// The value.
    package let value: RequestTemplate

    /// Takes both.
    package init(name: String, value: RequestTemplate) {
        self.name = name
        self.value = value
    }
}
