import Testing

@testable import StrictJSON

/// A tree of values whose refusals name lines.
@Suite("JSON files with lines")
struct LocatedJSONTests {
    private func read(_ text: String, depth: Int = 16) throws(LocatedJSONError) -> LocatedJSON {
        try LocatedJSON(object: Array(text.utf8), maximumDepth: depth)
    }

    private func refusal(_ text: String, depth: Int = 16) throws -> String {
        let refusal = try #require(throws: LocatedJSONError.self) { _ = try read(text, depth: depth) }
        return "\(refusal.line): \(refusal.rule)" + (refusal.name.map { " \($0)" } ?? "")
    }

    /// A value in one line, with the line of each element.
    private func shown(_ json: LocatedJSON) -> String {
        let value =
            switch json.value {
            case .string(let text): "'\(text)'"
            case .integer(let integer): "\(integer)"
            case .number(let text): "number \(text)"
            case .boolean(let flag): "\(flag)"
            case .null: "null"
            case .object(let members): "{" + members.map { "\($0)=" + shown($1) }.joined(separator: " ") + "}"
            case .array(let elements): "[" + elements.map(shown).joined(separator: " ") + "]"
            }
        return "\(json.line):\(value)"
    }

    @Test("Every kind of value is read, members in their order, numbers by their digits")
    func kinds() throws {
        let text =
            #"{"s": "a", "i": -7, "n": 1.50, "e": 1e400, "z": -0, "t": true, "f": false, "0": null, "o": {}, "a": []}"#
        #expect(
            shown(try read(text))
                == "1:{s=1:'a' i=1:-7 n=1:number 1.50 e=1:number 1e400 z=1:number -0 t=1:true f=1:false 0=1:null o=1:{} a=1:[]}"
        )
        #expect(shown(try read("{\"i\": 9223372036854775807, \"n\": 9223372036854775808}")).contains("n=1:number 9223"))
    }

    @Test("A member stands on the line of its name, an element on the line on which it begins")
    func lines() throws {
        let text = "\n{\r\n\"a\":\n[1,\n\n{\"b\"\n:\n2}\n,3], \"c\": \"\\n\",\n\"d\": 4}\n"
        #expect(shown(try read(text)) == "2:{a=3:[4:1 6:{b=6:2} 9:3] c=9:'\n' d=10:4}")
    }

    @Test("Names and texts are read without their escapes, at any depth")
    func escapes() throws {
        #expect(
            shown(try read(#"{"\u0061": [{"b\n": "\ud83d\ude42\"", "é": "ü"}]}"#))
                == "1:{a=1:[1:{b\n=1:'🙂\"' é=1:'ü'}]}")
    }

    @Test(
        "What is not one JSON object is refused with the line and the rule",
        arguments: [
            ("", "1: unexpectedEnd"), ("\n\n", "3: unexpectedEnd"), ("[1]", "1: notAnObject"),
            ("\n7", "2: notAnObject"),
            ("{\n\"a\": 1,\n}", "3: unexpectedByte"), ("{}\nx", "2: trailingBytes"),
            ("{\"a\":\n\"b", "2: unexpectedEnd"),
            ("{\"a\":\n\n\"\\x\"}", "3: invalidEscape"), ("{\"a\": [\n01]}", "2: unexpectedByte"),
            ("\u{FEFF}{}", "1: unexpectedByte"), ("{\"a\": 1 // no comments\n}", "1: unexpectedByte"),
        ])
    func notAnObject(_ text: String, _ rule: String) throws {
        #expect(try refusal(text) == rule)
    }

    @Test("Bytes that are not UTF-8 are refused with their line")
    func encoding() throws {
        let bytes = Array("{\"a\":\n\"".utf8) + [0xFF] + Array("\"}".utf8)
        let refusal = try #require(throws: LocatedJSONError.self) {
            _ = try LocatedJSON(object: bytes, maximumDepth: 4)
        }
        #expect(refusal == LocatedJSONError(line: 2, rule: .invalidUTF8, name: nil))
    }

    @Test("A name that stands twice is refused with the name and the line of its second place")
    func twice() throws {
        #expect(try refusal("{\"a\": 1,\n\"b\": 2,\n\"a\": 3}") == "3: duplicateKey a")
        #expect(try refusal("{\"a\": [1, {\"b\": 2,\n\"b\": 2}]}") == "2: duplicateKey b")
        #expect(try refusal("{\"\": 1, \"\": 2}") == "1: duplicateKey ")
        // The name is shown as it is written.
        #expect(try refusal(#"{"a": 1, "\u0061": 2}"#) == #"1: duplicateKey \u0061"#)
        #expect(throws: Never.self) { try read(#"{"a": {"a": 1}, "b": [{"a": 1}, {"a": 1}]}"#) }
    }

    @Test("Objects and arrays count as levels, and one too many is refused with its line")
    func depth() throws {
        #expect(throws: Never.self) { try read("{\"a\": [{}]}", depth: 3) }
        #expect(try refusal("{\"a\":\n[\n[[]]]}", depth: 3) == "3: tooDeep")
        #expect(try refusal("{\"a\":\n[\n[{}]]}", depth: 3) == "3: tooDeep")
    }
}
