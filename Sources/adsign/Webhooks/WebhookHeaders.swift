import Destinations
import StrictJSON

/// The three headers of a signed request.
struct WebhookHeaders {
    let id: String
    let timestamp: String
    let signatures: String

    /// Finds them in the head of a request: a request line or none, and a header in each line, up to an empty line.
    ///
    /// - Throws: `CommandError` with code 65 for a line that is no header, and for one of the three that is missing or
    ///   stands twice.
    init(head: [UInt8]) throws(CommandError) {
        var found: [String: String] = [:]
        var lines = head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        if let first = lines.first, Self.isRequestLine(first) { lines.removeFirst() }
        for (line, number) in zip(lines, (lines.startIndex + 1)...) {
            let text = Self.trimmed(line)
            if text.isEmpty { break }
            guard let colon = text.firstIndex(of: UInt8(ascii: ":")), let value = Self.text(text[(colon + 1)...]),
                let name = Self.text(text[..<colon])?.lowercased()
            else { throw CommandError(.data, "headers: line \(number): must be a name, a colon and a value") }
            guard Self.names.contains(name) else { continue }
            guard found.updateValue(value, forKey: name) == nil else {
                throw CommandError(.data, "headers: line \(number): \(name) stands twice")
            }
        }
        func value(_ name: String) throws(CommandError) -> String {
            guard let value = found[name] else { throw CommandError(.data, "headers: \(name) is missing") }
            return value
        }
        id = try value(StandardWebhooks.idHeader)
        timestamp = try value(StandardWebhooks.timestampHeader)
        signatures = try value(StandardWebhooks.signatureHeader)
    }

    /// Takes the values of options.
    init(id: String, timestamp: String, signatures: String) {
        self.id = id
        self.timestamp = timestamp
        self.signatures = signatures
    }

    private static let names: Set = [
        StandardWebhooks.idHeader, StandardWebhooks.timestampHeader, StandardWebhooks.signatureHeader,
    ]

    /// Whether a line is one such as `POST /path HTTP/1.1`.
    private static func isRequestLine(_ line: ArraySlice<UInt8>) -> Bool {
        let words = trimmed(line).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        return words.count == 3 && words[2].starts(with: "HTTP/".utf8)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        String(validating: trimmed(bytes), as: UTF8.self)
    }

    /// The bytes without blanks, tabs and carriage returns at both ends.
    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        var bytes = bytes.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }
}
