import Encodings
import StrictJSON

/// The members of one JSON object of the App Store, asked for by name and type.
///
/// A member that is null is missing, and so is an empty text. The object remembers what was asked for, so that the
/// others can be counted. A refusal names the member with the way to it.
final class PayloadObject {
    private let bytes: [UInt8]
    private let path: String
    private let members: [String: JSONToken]
    private var unknown: Set<String>

    /// Scans the bytes of one object.
    ///
    /// - Parameter path: The way to the object with a dot at its end; empty for a whole document.
    init(_ bytes: [UInt8], path: String = "") throws(SignedDataError) {
        var members: [String: JSONToken] = [:]
        var unknown: Set<String> = []
        do throws(JSONError) {
            try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
                var scanner = JSONScanner(buffer, maximumDepth: SignedDataVerifier.maximumDepth)
                try scanner.scanDocument { (key, token) throws(JSONError) in
                    let name = JSONToken.text(buffer, key)
                    unknown.insert(name)
                    // Equal strings of Swift may have other bytes, but only if they are not ASCII. Apple's names are.
                    if name.utf8.allSatisfy({ $0 < 0x80 }) { members[name] = token }
                }
            }
        } catch {
            throw PayloadObject.notJSON(error, path)
        }
        self.bytes = bytes
        self.path = path
        self.members = members
        self.unknown = unknown
    }

    private static func notJSON(_ error: JSONError, _ path: String) -> SignedDataError {
        SignedDataError(
            .malformed, field: path.isEmpty ? "json" : String(path.dropLast()),
            rule: "byte \(error.offset): \(error.rule.rawValue)")
    }

    /// The names of members that nobody asked for, each cut and fit to show.
    var unknownNames: [String] { unknown.map(JSONText.shown).sorted() }

    /// Says of members that they are known, though nobody needs their values.
    func know(_ names: String...) {
        unknown.subtract(names)
    }

    /// Whether the member is there, `null` included.
    func has(_ name: String) -> Bool { members[name] != nil }

    /// A value that is not null.
    func token(_ name: String) -> JSONToken? {
        unknown.remove(name)
        guard let token = members[name] else { return nil }
        if case .null = token { return nil }
        return token
    }

    // MARK: Values

    /// A text in which nothing controls a terminal or the direction of text; nil if it is missing or empty.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of characters.
    ///   - isShown: Whether a refusal may show the value.
    func text(
        _ name: String, limit: Int = StoreRanges.text, isShown: Bool = true
    ) throws(SignedDataError) -> String? {
        try text(name, limit: limit, isShown: isShown, without: JSONText.isControlling)
    }

    /// A text that people wrote for people, so it may have marks of direction; nil if it is missing or empty.
    ///
    /// - Parameter limit: The greatest number of characters.
    func label(_ name: String, limit: Int = StoreRanges.text) throws(SignedDataError) -> String? {
        // C0, DEL and C1.
        try text(name, limit: limit, isShown: true) { $0.properties.generalCategory == .control }
    }

    private func text(
        _ name: String, limit: Int, isShown: Bool, without isWrong: (Unicode.Scalar) -> Bool
    ) throws(SignedDataError) -> String? {
        guard let token = token(name) else { return nil }
        guard case .string(let range) = token, case let text = string(range), text.unicodeScalars.count <= limit,
            !text.unicodeScalars.contains(where: isWrong)
        else {
            let rule = "a string of at most \(limit) characters, none of them controlling"
            throw wrong(name, rule, isShown ? token : nil)
        }
        return text.isEmpty ? nil : text
    }

    /// A text that must be there.
    func requiredText(_ name: String, limit: Int = StoreRanges.text) throws(SignedDataError) -> String {
        guard let text = try text(name, limit: limit) else { throw missing(name) }
        return text
    }

    /// An integer in a range; nil if it is missing.
    func integer(_ name: String, _ range: ClosedRange<Int64>) throws(SignedDataError) -> Int64? {
        guard let token = token(name) else { return nil }
        guard case .integer(let integer) = token, range.contains(integer) else {
            throw wrong(name, "an integer from \(range.lowerBound) to \(range.upperBound)", token)
        }
        return integer
    }

    /// A time in milliseconds since 1970; nil if it is missing.
    func time(_ name: String) throws(SignedDataError) -> Int64? {
        try integer(name, StoreRanges.time)
    }

    /// A time that must be there.
    func requiredTime(_ name: String) throws(SignedDataError) -> Int64 {
        guard let time = try time(name) else { throw missing(name) }
        return time
    }

    /// True or false; nil if it is missing.
    func boolean(_ name: String) throws(SignedDataError) -> Bool? {
        guard let token = token(name) else { return nil }
        guard case .boolean(let flag) = token else { throw wrong(name, "true or false", token) }
        return flag
    }

    /// The bytes of a string, which no refusal shows; nil if it is missing.
    func utf8(_ name: String) throws(SignedDataError) -> [UInt8]? {
        guard let token = token(name) else { return nil }
        guard case .string(let range) = token else { throw wrong(name, "a string") }
        return Array(string(range).utf8)
    }

    /// The 16 bytes of a UUID that must be there.
    func uuid(_ name: String) throws(SignedDataError) -> [UInt8] {
        let text = try requiredText(name)
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12], let bytes = Hexadecimal.bytes(parts.joined()) else {
            throw wrong(name, "a UUID", token(name))
        }
        return bytes
    }

    /// The environment that a payload states, which must be one that we know.
    func environment(_ name: String) throws(SignedDataError) -> StoreEnvironment {
        let text = try requiredText(name)
        guard let environment = StoreEnvironment(rawValue: text) else { throw wrongEnvironment(name, text) }
        return environment
    }

    // MARK: Objects

    /// An object; nil if it is missing.
    ///
    /// - Parameter path: The way to it with a dot at its end, if it is not the one that its names show.
    func object(_ name: String, path: String? = nil) throws(SignedDataError) -> PayloadObject? {
        guard let token = token(name) else { return nil }
        guard case .object(let range) = token else { throw wrong(name, "an object", token) }
        return try PayloadObject(Array(bytes[range]), path: path ?? "\(self.path)\(name).")
    }

    /// The objects of an array; none if it is missing.
    ///
    /// - Parameter most: The greatest number of them.
    func objects(_ name: String, most: Int) throws(SignedDataError) -> [PayloadObject] {
        guard let token = token(name) else { return [] }
        guard case .array(let range) = token else { throw wrong(name, "an array of objects", token) }
        let array = Array(bytes[range])
        var ranges: [Range<Int>] = []
        do throws(JSONError) {
            try array.withUnsafeBufferPointer { (buffer) throws(JSONError) in
                var scanner = JSONScanner(buffer, maximumDepth: SignedDataVerifier.maximumDepth)
                try scanner.scanArrayDocument { (_, range) throws(JSONError) in ranges.append(range) }
            }
        } catch {
            throw PayloadObject.notJSON(error, "\(path)\(name).")
        }
        guard ranges.count <= most else { throw wrong(name, "an array of at most \(most) objects") }
        var objects: [PayloadObject] = []
        for (index, range) in ranges.enumerated() {
            objects.append(try PayloadObject(Array(array[range]), path: "\(path)\(name)[\(index)]."))
        }
        return objects
    }

    // MARK: Refusals

    /// Says of a member that it breaks a rule.
    func refusal(_ reason: SignedDataError.Reason, _ name: String, _ rule: String) -> SignedDataError {
        SignedDataError(reason, field: path + name, rule: rule)
    }

    /// Says that a member is missing.
    func missing(_ name: String) -> SignedDataError { refusal(.malformed, name, "is missing") }

    /// Says which environments there are.
    func wrongEnvironment(_ name: String, _ text: String) -> SignedDataError {
        let names = StoreEnvironment.allCases.map(\.rawValue).joined(separator: ", ")
        return refusal(.wrongEnvironment, name, "must be one of \(names), not \(JSONText.quoted(text))")
    }

    /// Says what a member must be, and what it is if that is to be shown.
    func wrong(_ name: String, _ rule: String, _ token: JSONToken? = nil) -> SignedDataError {
        refusal(.malformed, name, "must be \(rule)" + (token.map { ", not \(shown($0))" } ?? ""))
    }

    /// A value as a refusal shows it: what is inside of an object could be anything.
    private func shown(_ token: JSONToken) -> String {
        switch token {
        case .object: "an object"
        case .array: "an array"
        case .string, .integer, .number, .boolean, .null: bytes.withUnsafeBufferPointer { token.excerpt($0) }
        }
    }

    /// The text of a string.
    func string(_ range: JSONStringRange) -> String {
        bytes.withUnsafeBufferPointer { JSONToken.text($0, range) }
    }
}
