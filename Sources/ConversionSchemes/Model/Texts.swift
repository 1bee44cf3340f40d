import StrictJSON

/// The name of an event, as the app or a network calls it: 1 to 100 bytes of UTF-8 without control characters.
package struct EventName: Sendable, Hashable, Comparable {
    /// The name.
    package let text: String

    /// What a name must be, to complete "must be …".
    package static let rule = "a text of 1 to 100 bytes without control characters"

    /// The name; nil if it is empty, too long, or has a control character.
    package init?(_ text: String) {
        guard text.isPlain(bytes: 1...100) else { return nil }
        self.text = text
    }

    /// The name with its quotes, as a message shows it.
    var quoted: String { JSONText.quoted(text) }

    /// The order of the bytes.
    package static func < (left: EventName, right: EventName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

/// The name of a scheme, for people: 1 to 200 bytes of UTF-8 without control characters.
package struct SchemeName: Sendable, Hashable {
    /// The name.
    package let text: String

    /// What a name must be, to complete "must be …".
    package static let rule = "a text of 1 to 200 bytes without control characters"

    /// The name; nil if it is empty, too long, or has a control character.
    package init?(_ text: String) {
        guard text.isPlain(bytes: 1...200) else { return nil }
        self.text = text
    }
}

extension String {
    fileprivate func isPlain(bytes: ClosedRange<Int>) -> Bool {
        bytes.contains(utf8.count) && !unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
