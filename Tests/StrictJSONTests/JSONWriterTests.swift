import Foundation
import Testing

@testable import StrictJSON

/// One writer, bounded or not; what it writes, another parser reads back.
@Suite("Writing JSON")
struct JSONWriterTests {
    @Test("Every scalar reads back as itself, and no control character stands as it is")
    func scalars() throws {
        for value in [0...0x2FF, 0x2000...0x2070, 0xD7F0...0xD7FF, 0xE000...0xE010, 0x1F600...0x1F610].joined() {
            let text = "x" + String(try #require(Unicode.Scalar(UInt32(value)))) + "y"
            let json = JSONText.quoted(text)
            let control = json.unicodeScalars.contains { $0.properties.generalCategory == .control }
            #expect(!control && !json.unicodeScalars.contains(where: JSONText.isControlling), "\(value)")
            let read = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
            #expect((read as? String)?.unicodeScalars.elementsEqual(text.unicodeScalars) == true, "\(value)")
        }
    }

    @Test("A text for people keeps lines and tabs, and shows what turns its direction or moves the cursor")
    func printable() {
        let text = "naïve \u{1B}[2J\u{9B}1m\u{7F}\r\u{0} \u{202E}abc\u{2066}\u{061C}\u{200F}\u{2028}😀\n\tend\\\""
        let shown =
            #"naïve \u001b[2J\u009b1m\u007f\r\u0000 \u202eabc\u2066\u061c\u200f\u2028😀"#
        #expect(JSONText.printable(text) == shown + "\n\tend\\\"")
        #expect(JSONText.line(text) == shown + #"\n\tend\""#)
        #expect(JSONText.line("plain é") == "plain é")
    }

    @Test("A flat object and nested ones are one form")
    func forms() {
        var flat = JSONObjectText()
        flat.append("a", "é\n")
        flat.append("b", 18_446_744_073_709_551_615 as UInt64)
        flat.append("c", true)
        flat.append("d", base64: [1, 2])
        flat.append("e", json: "[1]".utf8)
        let text = String(decoding: flat.finished(), as: UTF8.self)
        #expect(text == #"{"a":"é\n","b":18446744073709551615,"c":true,"d":"AQI=","e":[1]}"#)
        #expect(JSONObjectText().finished() == Array("{}".utf8))
        var writer = JSONWriter()
        writer.object { object in
            object.member("a") { $0.object { $0.member("b") { $0.string("c") } } }
            object.member("d") { array in
                array.array { elements in
                    elements.element { $0.literal("1") }
                    elements.element { $0.object { _ in } }
                    elements.element { $0.literal("null") }
                }
            }
        }
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"a":{"b":"c"},"d":[1,{},null]}"#)
    }

    @Test(
        "A bounded text is valid JSON of about the limit at most, and says that it was cut",
        arguments: [256, 300, 1_000])
    func bounded(_ limit: Int) throws {
        for character in ["a", "\u{1}", "é", "😀", "\""] {
            var writer = JSONWriter(limit: limit, stringLimit: limit / 2)
            writer.object { object in
                for number in 0..<50 {
                    object.member("\(number)") { $0.string(String(repeating: character, count: 70)) }
                }
                object.truncationMark()
            }
            #expect(writer.isTruncated)
            #expect(writer.bytes.count <= limit)
            let read = try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any]
            #expect(read?["truncated"] as? Bool == true)
        }
    }
}
