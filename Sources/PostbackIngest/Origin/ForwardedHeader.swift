import HTTPTypes
import PostbackStore

/// A header in which a proxy says which address called it.
///
/// `Forwarded` is read by RFC 7239. Any other header, such as `X-Forwarded-For` or `X-Real-IP`, is read as addresses
/// separated by commas.
package struct ForwardedHeader: Sendable, Hashable {
    let name: HTTPField.Name
    private let syntax: Syntax

    private enum Syntax: Hashable {
        /// RFC 7239: pairs, and texts in quotes that may contain commas.
        case forwarded
        /// Addresses separated by commas.
        case list
    }

    /// The header with a name, in any letter case; nil if it can't be the name of a header.
    package init?(_ name: String) {
        guard let name = HTTPField.Name(name) else { return nil }
        self.name = name
        syntax = name.canonicalName == "forwarded" ? .forwarded : .list
    }

    /// The name as it was given.
    package var text: String { name.rawName }

    /// The entries of one line of the header, from the last to the first.
    func entriesFromTheRight(of line: String) -> ForwardedEntries {
        ForwardedEntries(line, mayHaveQuotes: syntax == .forwarded)
    }

    /// The address in an entry; nil for an obfuscated identifier, `unknown`, an empty entry or anything else.
    func address(in entry: ArraySlice<UInt8>) -> IPAddress? {
        switch syntax {
        case .forwarded: ForwardedElement(entry)?.node.flatMap { IPAddress(node: $0[...]) }
        case .list: IPAddress(node: entry)
        }
    }
}

/// The characters of a header with addresses.
extension UInt8 {
    static let comma = UInt8(ascii: ",")
    static let semicolon = UInt8(ascii: ";")
    static let equals = UInt8(ascii: "=")
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let colon = UInt8(ascii: ":")
    static let underscore = UInt8(ascii: "_")
    static let openingBracket = UInt8(ascii: "[")
    static let closingBracket = UInt8(ascii: "]")

    var isSpaceOrTab: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

    /// Letter, digit, `.`, `_` or `-` (RFC 7239, section 6.3).
    var isOfObfuscatedIdentifier: Bool {
        isDigit || UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 || self == UInt8(ascii: ".")
            || self == .underscore || self == UInt8(ascii: "-")
    }
}
