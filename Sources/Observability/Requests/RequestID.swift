import Synchronization

/// The name of one request, for the log and the answer.
package struct RequestID: Sendable, Hashable, CustomStringConvertible {
    /// The header that has it, in requests and in answers.
    package static let header = "X-Request-ID"
    /// The greatest number of characters.
    package static let greatestLength = 128

    // One of ours is made into text only where somebody reads it.
    private enum Origin: Sendable {
        case given(String)
        case own(number: UInt64)
    }

    private let origin: Origin

    /// Two ids are one if their texts are.
    package static func == (left: RequestID, right: RequestID) -> Bool { left.description == right.description }

    package func hash(into hasher: inout Hasher) { hasher.combine(description) }

    /// The id as text.
    package var description: String {
        switch origin {
        case .given(let text): text
        case .own(let number): Self.process + String(number, radix: 16)
        }
    }

    /// Takes the id that somebody else gave a request.
    ///
    /// - Returns: nil unless it has 1 to `greatestLength` letters, digits, `.`, `_`, `:` and `-` of ASCII.
    package init?(_ text: String) {
        guard (1...Self.greatestLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else {
            return nil
        }
        origin = .given(text)
    }

    /// Makes an id that no other request of this server has, and as good as surely none of another one: a random number
    /// of the process, and the request's own number, both hexadecimal.
    package init() {
        origin = .own(number: Self.requests.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// The header as a line of an answer, with its end.
    package var headerLine: [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(64)
        switch origin {
        case .given(let text):
            line += "\(Self.header): \(text)".utf8
        case .own(let number):
            line += Self.beginningOfLine
            line += String(number, radix: 16).utf8
        }
        line += "\r\n".utf8
        return line
    }

    private static let process = String(UInt64.random(in: (1 << 63)...UInt64.max), radix: 16) + "-"
    private static let beginningOfLine = Array("\(header): \(process)".utf8)
    private static let requests = Atomic<UInt64>(0)

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
