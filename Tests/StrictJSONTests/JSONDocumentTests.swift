import Foundation
import TestSupport
import Testing

@testable import StrictJSON

/// Files that people read: what is written, another parser reads back.
@Suite("JSON files for people")
struct JSONDocumentTests {
    private func text(_ document: JSONDocument) -> String { String(decoding: document.text(), as: UTF8.self) }

    @Test("Every kind of value is written as JSON, with a line end behind the last line")
    func kinds() {
        #expect(text(.string("é\"\n")) == "\"é\\\"\\n\"\n")
        #expect(text(.integer(.min)) == "-9223372036854775808\n")
        #expect(text(.number("1.50")) == "1.50\n")
        #expect(text(.boolean(true)) == "true\n")
        #expect(text(.null) == "null\n")
        #expect(text(.object([])) == "{}\n")
        #expect(text(.array([])) == "[]\n")
    }

    @Test("The outermost container has a line for each element, and short ones inside have one line")
    func layout() {
        let document = JSONDocument.object([
            ("a", .array([.integer(1), .object([("b", .null), ("c", .object([]))])])), ("d", .array([])),
        ])
        #expect(
            text(document) == """
                {
                  "a": [1, { "b": null, "c": {} }],
                  "d": []
                }

                """)
        #expect(text(.array([.array([.integer(1), .integer(2)])])) == "[\n  [1, 2]\n]\n")
    }

    @Test("A container inside is broken if its line would be longer than 110 bytes")
    func width() {
        // Two blanks, the name with its colon, and the quotes and brackets around the text are 14 bytes.
        func document(_ count: Int) -> JSONDocument {
            .object([("name", .array([.string(String(repeating: "x", count: count))]))])
        }
        let longest = text(document(96)).split(separator: "\n").map(\.utf8.count).max()
        #expect(longest == 110)
        #expect(
            text(document(97)) == """
                {
                  "name": [
                    "\(String(repeating: "x", count: 97))"
                  ]
                }

                """)
    }

    @Test("What is written reads back as the same value, for any value")
    func roundTrip() throws {
        var random = SeededGenerator(seed: 12)
        for _ in 0..<200 {
            let document = JSONDocument.object((0..<3).map { ("m\($0)", Self.value(4, &random)) })
            let text = document.text()
            _ = try JSONSerialization.jsonObject(with: Data(text))
            let read = try LocatedJSON(object: text, maximumDepth: 16)
            #expect(read.document.text() == text)
        }
    }

    private static func value(_ depth: Int, _ random: inout SeededGenerator) -> JSONDocument {
        let count = Int.random(in: 0...5, using: &random)
        switch Int.random(in: 0...(depth == 0 ? 4 : 7), using: &random) {
        case 0: return .null
        case 1: return .boolean(Bool.random(using: &random))
        case 2: return .integer(Int64.random(in: .min ... .max, using: &random))
        case 3: return .number("\(Int.random(in: 0...9, using: &random)).\(count)0e5")
        case 4: return .string(String(repeating: ["a", "\n", "é", "🙂", "\"", "\u{1}"][count], count: 10 * count))
        case 5: return .array((0..<count).map { _ in value(depth - 1, &random) })
        default: return .object((0..<count).map { ("\($0)\u{7F}", value(depth - 1, &random)) })
        }
    }
}

extension LocatedJSON {
    /// The value without its lines.
    fileprivate var document: JSONDocument {
        switch value {
        case .string(let text): .string(text)
        case .integer(let integer): .integer(integer)
        case .number(let text): .number(text)
        case .boolean(let flag): .boolean(flag)
        case .null: .null
        case .object(let members): .object(members.map { ($0.name, $0.value.document) })
        case .array(let elements): .array(elements.map(\.document))
        }
    }
}
