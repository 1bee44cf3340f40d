/// The name of a destination: 1 to 50 of `a–z 0–9 -`, a letter first.
package struct DestinationName: Sendable, Hashable, Comparable, LosslessStringConvertible {
    /// The name.
    package let description: String

    /// What a text must be, to complete "must be …".
    package static let rule = "a name of 1 to 50 letters a-z, digits and '-', the first a letter"

    /// Takes a name; nil if the text is not allowed.
    package init?(_ description: String) {
        guard NameText.isName(description, isAlsoAllowed: { $0 == UInt8(ascii: "-") }) else { return nil }
        self.description = description
    }

    package static func < (left: DestinationName, right: DestinationName) -> Bool {
        left.description < right.description
    }
}

/// The name of a secret, which is also that of its file: 1 to 50 of `a–z 0–9 - _ .`, a letter first.
package struct SecretName: Sendable, Hashable, Comparable, LosslessStringConvertible {
    /// The name.
    package let description: String

    /// What a text must be, to complete "must be …".
    package static let rule = "the name of a secret: 1 to 50 letters a-z, digits, '-', '_' and '.', the first a letter"

    /// Takes a name; nil if the text is not allowed.
    package init?(_ description: String) {
        let others = Array("-_.".utf8)
        guard NameText.isName(description, isAlsoAllowed: others.contains) else { return nil }
        self.description = description
    }

    package static func < (left: SecretName, right: SecretName) -> Bool { left.description < right.description }
}

/// What names of destinations and of secrets have in common.
private enum NameText {
    static func isName(_ text: String, isAlsoAllowed: (UInt8) -> Bool) -> Bool {
        guard (1...50).contains(text.utf8.count), let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { byte in
            isLetter(byte) || (0x30...0x39).contains(byte) || isAlsoAllowed(byte)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}
