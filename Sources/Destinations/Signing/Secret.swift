import StrictJSON

/// A secret of a destination: a token for its URL or its headers, or a key that signs.
///
/// No description shows it.
package struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
    /// What the file of a secret must be.
    package static let rule = "must have 1 to \(maximumSize) bytes of UTF-8 in one line, without control characters"
    /// The greatest number of bytes of the text.
    package static let maximumSize = 4_096

    let text: String
    /// The key that the text stands for; nil if it is a token.
    let key: WebhookKey?

    /// Takes the bytes of a file: one line, with or without a line end.
    ///
    /// - Returns: nil if they break the rule.
    package init?(file bytes: [UInt8]) {
        var line = bytes[...]
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard (1...Self.maximumSize).contains(line.count), let text = String(validating: line, as: UTF8.self),
            !text.unicodeScalars.contains(where: JSONText.isControlling)
        else { return nil }
        self.text = text
        key = WebhookKey(text)
    }

    /// Says only that there is one.
    package var description: String { "…" }

    /// Shows nothing.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Why a secret can't be used.
///
/// It has no part of the secret.
package struct SecretProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The secret.
    package let name: SecretName
    /// What is wrong with it, to complete "the secret …".
    package let reason: String

    /// Takes both.
    package init(_ name: SecretName, _ reason: String) {
        self.name = name
        self.reason = reason
    }

    /// Name and reason in one line.
    package var description: String { "secret \(name) \(JSONText.line(reason))" }

    /// There is no file.
    package static func missing(_ name: SecretName) -> SecretProblem { SecretProblem(name, "is missing") }
}
