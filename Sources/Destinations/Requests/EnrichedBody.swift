import AdAttribution
import StrictJSON

/// A body with members inserted before its last brace: all other bytes stay as they were received.
///
/// Nothing is parsed and written anew, so that the signature, the forms of numbers and the escapes survive.
enum EnrichedBody {
    /// Inserts members.
    ///
    /// - Throws: Why the body can't have them: it is no JSON object, or it has a member of this name already, however
    ///   that is escaped.
    static func bytes(
        _ body: [UInt8], adding members: [AddedMember], _ values: EventValues
    ) throws(UnsendableEvent) -> [UInt8] {
        let isEmpty = try check(body, lacks: members)
        // Behind the object there is white space only, so the last brace is its end.
        guard let end = body.lastIndex(of: UInt8(ascii: "}")) else {
            throw UnsendableEvent("the body \(JSONError.Rule.notAnObject.rawValue)")
        }
        var output = Array(body[..<end])
        for (index, member) in members.enumerated() {
            if index > 0 || !isEmpty { output.append(UInt8(ascii: ",")) }
            try member.append(to: &output, values)
        }
        output += body[end...]
        return output
    }

    /// Scans a body, and says whether its object is empty.
    private static func check(_ body: [UInt8], lacks members: [AddedMember]) throws(UnsendableEvent) -> Bool {
        var names: [String] = []
        var isEmpty = true
        do throws(JSONError) {
            try body.withUnsafeBufferPointer { (bytes) throws(JSONError) in
                var scanner = JSONScanner(bytes, maximumDepth: Postback.maximumDepth)
                try scanner.scanDocument { (key, _) throws(JSONError) in
                    isEmpty = false
                    if let member = members.first(where: { isKey(key, of: bytes, named: $0.name) }) {
                        names.append(member.name)
                    }
                }
            }
        } catch {
            throw UnsendableEvent("the body can't be enriched: byte \(error.offset): \(error.rule.rawValue)")
        }
        guard names.isEmpty else {
            throw UnsendableEvent(
                "the body has members that were to be added: \(names.map(JSONText.shown).joined(separator: ", "))")
        }
        return isEmpty
    }

    /// Whether a key, without its escapes, has the bytes of a name.
    private static func isKey(
        _ key: JSONStringRange, of bytes: UnsafeBufferPointer<UInt8>, named name: String
    ) -> Bool {
        // An escape never makes a key shorter than its text.
        guard key.end - key.start >= name.utf8.count else { return false }
        guard key.hasEscapes else { return bytes[key.start..<key.end].elementsEqual(name.utf8) }
        return JSONEscape.unescape(bytes, key).elementsEqual(name.utf8)
    }
}
