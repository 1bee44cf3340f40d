import AdAttribution
import Foundation

/// What Foundation's parser reads in a body: another pair of eyes.
///
/// Our parser is stricter, so a body that it refuses may be JSON to Foundation. It refuses a key that stands twice,
/// more than eight levels, UTF-16 and UTF-32, a byte order mark, and unpaired surrogates.
struct OtherParser {
    let object: [String: Any]

    /// Reads one object.
    init(_ json: [UInt8]) throws {
        guard let object = Self.read(json) as? [String: Any] else {
            throw Finding("another parser does not read what ours accepts")
        }
        self.object = object
    }

    /// Any JSON value as Foundation reads it; nil if it does not.
    ///
    /// Foundation refuses numbers beyond the range of `Double`, which JSON allows (RFC 8259, section 6). Here they are 0:
    /// no field that we know can have such a number.
    static func read(_ json: [UInt8]) -> Any? {
        func parsed(_ json: [UInt8]) -> Any? {
            try? JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)
        }
        return parsed(json) ?? parsed(withoutGreatNumbers(json))
    }

    private static func withoutGreatNumbers(_ json: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var rest = json[...]
        var isInString = false
        while let byte = rest.first {
            if !isInString, byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) {
                let number = rest.prefix { "+-.eE".utf8.contains($0) || (0x30...0x39).contains($0) }
                rest = rest[number.endIndex...]
                let isFinite = Double(String(decoding: number, as: UTF8.self))?.isFinite ?? true
                output += isFinite ? Array(number) : [0x30]
                continue
            }
            // An escaped character ends no string.
            let step = isInString && byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { isInString.toggle() }
            output += rest.prefix(step)
            rest = rest.dropFirst(step)
        }
        return output
    }

    func text(_ name: String) -> String? { object[name] as? String }

    func flag(_ name: String) -> Bool? { number(name).flatMap { Self.isBoolean($0) ? $0.boolValue : nil } }

    func integer(_ name: String) -> Int64? { number(name).flatMap { Self.isBoolean($0) ? nil : Int64($0.stringValue) } }

    private func number(_ name: String) -> NSNumber? { object[name] as? NSNumber }

    private static func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }

    /// The value of a field, in the text that a signed message has for it; nil if it is absent.
    func signedText(_ name: String) -> [UInt8]? {
        if let text = text(name) { return Array(text.utf8) }
        if let flag = flag(name) { return Array((flag ? "true" : "false").utf8) }
        return integer(name).map { Array(String($0).utf8) }
    }

    /// The values of these fields with the separator between them.
    func message(_ names: [String]) -> [UInt8] {
        Array(names.compactMap(signedText).joined(separator: [0xE2, 0x81, 0xA3]))
    }

    /// Whether a value that our parser read is the same here.
    func agrees(_ value: FieldValue, of name: String) -> Bool {
        switch value {
        case .boolean(let flag): self.flag(name) == flag
        case .integer(let integer): self.integer(name) == integer
        case .text(let text): self.text(name).map { $0.utf8.elementsEqual(text.utf8) } == true
        case .uuid(let uuid, _): self.text(name).flatMap { UUID(uuidString: $0) } == uuid
        }
    }
}
