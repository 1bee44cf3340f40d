import AdAttribution
import Encodings
import Foundation
import PostbackStore
import PostgresClient
import StrictJSON

/// The line of a body in an archive.
///
/// It is the body with two members before its own. `received-at` is in milliseconds since 1970, as `import` reads it;
/// it is left out if the body has this member itself. `archived` is an object with the rest. So `import` takes the
/// line, and the body is what is left without these two members, byte for byte. If the body can't be one line as it is,
/// `archived` has it as the string `payload`, too.
extension ArchivedBody {
    private static let receivedAtName = "received-at"
    private static let archivedName = "archived"
    /// Around a body's own depth.
    private static let maximumDepth = 64

    /// The line, without its end.
    package var line: [UInt8] {
        let members = Members(of: payload)
        let isPlain = members.map { $0.isPlain && !$0.names.contains(Self.archivedName) } ?? false
        var head = JSONObjectText()
        if let members, !members.names.contains(Self.receivedAtName) {
            head.append(Self.receivedAtName, receivedAt.millisecondsSince1970)
        }
        head.append(Self.archivedName, json: archived(hasPayload: !isPlain))
        var line = Array(head.finished().dropLast())
        if isPlain {
            line.append(UInt8(ascii: ","))
            line += payload.dropFirst()
            return line
        }
        for (name, bytes) in zip(members?.names ?? [], members?.texts ?? []) where name != Self.archivedName {
            line.append(UInt8(ascii: ","))
            line += bytes.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        }
        line.append(UInt8(ascii: "}"))
        return line
    }

    private func archived(hasPayload: Bool) -> [UInt8] {
        var text = JSONObjectText()
        text.append("lane", Int64(lane))
        text.append("position", position)
        text.append("ordinal", Int64(ordinal))
        text.append("transaction-id", transactionID.uuidString.lowercased())
        text.append("received-at-us", receivedAt.microsecondsSince1970)
        if let sourceAddress { text.append("source-address", sourceAddress) }
        if let userAgent { text.append("user-agent", userAgent) }
        text.append("sha256", Hexadecimal.text(SHA256.digest(payload)))
        if hasPayload { text.append("payload", String(decoding: payload, as: UTF8.self)) }
        return text.finished()
    }

    /// Reads what `line` writes.
    ///
    /// - Throws: `ArchivedBodyError` for any other text, also if the body was changed since.
    package init(line: [UInt8]) throws(ArchivedBodyError) {
        let range: Range<Int>
        let fields: Fields
        do throws(JSONError) {
            range = try Self.rangeOfArchived(line)
            fields = try range.isEmpty ? Fields() : Fields(Array(line[range]))
        } catch {
            throw ArchivedBodyError(rule: "\(error.rule.rawValue), at byte \(error.offset)")
        }
        guard !range.isEmpty else { throw ArchivedBodyError(rule: "it has no member archived at its beginning") }
        lane = try fields.number("lane")
        position = try fields.number("position")
        guard WritingDay.possible.contains(WritingDay.day(of: position).daysSince2000) else {
            throw ArchivedBodyError(rule: "archived.position must be on a day from 2000-01-01 to 9999-12-31")
        }
        ordinal = try fields.number("ordinal")
        guard let id = UUID(uuidString: try fields.text("transaction-id") ?? "") else {
            throw ArchivedBodyError(rule: "archived.transaction-id must be a UUID")
        }
        transactionID = id
        receivedAt = try PostgresTimestamp(microsecondsSince1970: fields.number("received-at-us"))
        sourceAddress = try fields.text("source-address")
        guard sourceAddress.map({ IPAddress($0) != nil }) ?? true else {
            throw ArchivedBodyError(rule: "archived.source-address must be an address")
        }
        userAgent = try fields.text("user-agent")
        if let whole = try fields.text("payload") {
            payload = Array(whole.utf8)
        } else {
            guard range.upperBound < line.count, line[range.upperBound] == UInt8(ascii: ",") else {
                throw ArchivedBodyError(rule: "it has no body")
            }
            payload = [UInt8(ascii: "{")] + line[(range.upperBound + 1)...]
        }
        guard !payload.contains(0) else { throw ArchivedBodyError(rule: "the body has a zero byte") }
        guard try fields.text("sha256") == Hexadecimal.text(SHA256.digest(payload)) else {
            throw ArchivedBodyError(rule: "the body does not have the SHA-256 of the line")
        }
    }

    /// Where the object `archived` is in a line: the first member, or the second one behind `received-at`; empty if it
    /// is not there.
    private static func rangeOfArchived(_ line: [UInt8]) throws(JSONError) -> Range<Int> {
        try line.withUnsafeBufferPointer { (bytes) throws(JSONError) in
            var found: Range<Int> = 0..<0
            var place = 0
            var scanner = JSONScanner(bytes, maximumDepth: maximumDepth)
            try scanner.scanDocument { (name, token) throws(JSONError) in
                if place < 2, JSONToken.text(bytes, name) == archivedName, case .object(let range) = token {
                    found = range
                }
                place += 1
            }
            return found
        }
    }
}

/// Why a line is not one of an archive.
package struct ArchivedBodyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    package let rule: String

    /// Takes the rule.
    package init(rule: String) {
        self.rule = rule
    }

    /// The same.
    package var description: String { rule }
}

/// The members of `archived`.
private struct Fields {
    private enum Value {
        case text(String)
        case integer(Int64)
        case other
    }

    private let members: [String: Value]

    init() {
        members = [:]
    }

    init(_ object: [UInt8]) throws(JSONError) {
        members = try object.withUnsafeBufferPointer { (bytes) throws(JSONError) in
            var members: [String: Value] = [:]
            var scanner = JSONScanner(bytes, maximumDepth: 1)
            try scanner.scanDocument { (name, token) throws(JSONError) in
                members[JSONToken.text(bytes, name)] =
                    switch token {
                    case .string(let text): .text(JSONToken.text(bytes, text))
                    case .integer(let integer): .integer(integer)
                    default: .other
                    }
            }
            return members
        }
    }

    func number<Number: FixedWidthInteger>(_ name: String) throws(ArchivedBodyError) -> Number {
        guard case .integer(let integer) = members[name], let number = Number(exactly: integer) else {
            throw ArchivedBodyError(rule: "archived.\(name) must be an integer of \(Number.bitWidth) bits")
        }
        return number
    }

    func text(_ name: String) throws(ArchivedBodyError) -> String? {
        guard let value = members[name] else { return nil }
        guard case .text(let text) = value, !text.contains("\0") else {
            throw ArchivedBodyError(rule: "archived.\(name) must be a text")
        }
        return text
    }
}

/// The members of a body.
private struct Members {
    /// The names without their escapes, in order.
    private(set) var names: [String] = []
    /// The members, each with its name.
    private(set) var texts: [ArraySlice<UInt8>] = []
    /// Whether the body is one line that begins with its brace.
    let isPlain: Bool

    /// Nil if the body is not a JSON object with a member.
    init?(of body: [UInt8]) {
        var starts: [Int] = []
        var found: [String] = []
        let isJSON = body.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes, maximumDepth: 64)
            return
                (try? scanner.scanDocument { (name, _) throws(JSONError) in
                    starts.append(name.start - 1)
                    found.append(JSONToken.text(bytes, name))
                }) != nil
        }
        guard isJSON, let brace = body.lastIndex(of: UInt8(ascii: "}")), !starts.isEmpty else { return nil }
        names = found
        for (start, next) in zip(starts, starts.dropFirst() + [brace]) {
            var text = body[start..<next]
            while let last = text.last, last == UInt8(ascii: ",") || last <= UInt8(ascii: " ") { text.removeLast() }
            texts.append(text)
        }
        isPlain =
            body.first == UInt8(ascii: "{") && !body.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    }
}

extension PostgresTimestamp {
    private static var epoch: Int64 { 946_684_800_000_000 }

    /// Microseconds since 1970-01-01 00:00:00 UTC.
    fileprivate var microsecondsSince1970: Int64 { microsecondsSince2000 &+ Self.epoch }

    fileprivate init(microsecondsSince1970: Int64) {
        self.init(microsecondsSince2000: microsecondsSince1970 &- Self.epoch)
    }
}
