/// What a token is called: the person or the program that has it.
package struct TokenName: Sendable, Hashable, CustomStringConvertible {
    /// What a name must be.
    package static let rule =
        "must be 1 to 64 characters: letters in lower case, digits, “.”, “_”, “-”; the first a letter or a digit"

    /// The name.
    package let description: String

    /// Takes a name; nil if it breaks the rule.
    package init?(_ text: String) {
        guard text.wholeMatch(of: /[a-z0-9][a-z0-9._\-]{0,63}/) != nil else { return nil }
        description = text
    }
}

/// Somebody whom a sign-on proxy names.
package struct UserName: Sendable, Hashable, CustomStringConvertible {
    /// The name.
    package let description: String

    /// Takes a name: 1 to 100 characters of ASCII without blanks; nil if it is another text.
    package init?(_ text: String) {
        guard (1...100).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        description = text
    }
}
