/// One element of `Forwarded` (RFC 7239, section 4): pairs of name and value, separated by semicolons.
struct ForwardedElement {
    /// The value of `for` without quotes: an address, an obfuscated identifier or `unknown`.
    ///
    /// Nil if there is none.
    private(set) var node: [UInt8]?

    /// Reads an element; nil if it breaks the form, or has `for` twice.
    ///
    /// White space around a pair, and values that should have quotes but don't, are read too: many proxies write them.
    init?(_ text: ArraySlice<UInt8>) {
        var rest = text
        while !rest.isEmpty {
            let name = rest.prefix { $0 != .equals && $0 != .semicolon }
            rest = rest[name.endIndex...]
            guard rest.popFirst() == .equals else {
                // A pair may be left out, but a name needs a value.
                guard name.trimmed.isEmpty else { return nil }
                continue
            }
            guard let value = Self.takeValue(&rest) else { return nil }
            guard name.trimmed.lowercasedText == "for" else { continue }
            guard node == nil else { return nil }
            node = value
        }
    }

    /// Takes a value and the semicolon after it.
    private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.first == .quote else {
            let value = rest.prefix { $0 != .semicolon }
            rest = rest[value.endIndex...].dropFirst()
            return value.contains(.quote) ? nil : Array(value.trimmed)
        }
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case .quote:
                rest = rest.drop { $0.isSpaceOrTab }
                // The quote ends the value, so that only a semicolon may follow.
                guard let next = rest.popFirst() else { return value }
                return next == .semicolon ? value : nil
            case .backslash:
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped)
            default:
                value.append(byte)
            }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    fileprivate var lowercasedText: String { String(decoding: self, as: UTF8.self).lowercased() }
}
