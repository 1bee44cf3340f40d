import StrictJSON
import Testing

@testable import AdAttribution

/// Size and depth are bounded, and the cost of a body is in proportion to its size.
@Suite("JSON limits")
struct JSONLimitTests {
    private static func nested(_ depth: Int, _ open: String, _ close: String) -> String {
        String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)
    }

    @Test("Eight levels are read, the ninth is refused at its bracket", arguments: [("[", "]"), (#"{"a":"#, "}")])
    func depth(_ open: String, _ close: String) {
        let head = String(PostbackBody.genuine.text.dropLast()) + #","x":"#
        #expect(rejection(of: head + Self.nested(7, open, close) + "}") == nil)
        let refusal = rejection(of: head + Self.nested(8, open, close) + "}")
        #expect(refusal?.rule == "nested too deeply")
        #expect(refusal?.byteOffset == head.utf8.count + 7 * open.utf8.count)
    }

    @Test("Ten KiB of open brackets are refused at the ninth", arguments: ["[", #"{"a":"#, #"[{"a":"#])
    func bombs(_ open: String) {
        let bomb = String(repeating: open, count: 10_240 / open.utf8.count)
        let refusal = rejection(of: bomb)
        #expect(refusal?.rule == "nested too deeply")
        #expect((refusal?.byteOffset ?? 0) < 64)
        #expect(rejection(of: #"{"a":"# + bomb)?.rule == "nested too deeply")
    }

    @Test("16,384 bytes are read, and one more byte is too large, whatever it is")
    func size() throws {
        let genuine = PostbackBody.genuine.bytes
        let spaces = [UInt8](repeating: 0x20, count: 16_384 - genuine.count)
        #expect(rejection(of: genuine + spaces) == nil)
        #expect(rejection(of: spaces + genuine) == nil)
        #expect(rejection(of: genuine + spaces + [0x20])?.reason == .tooLarge)
        #expect(rejection(of: genuine + spaces + [0x20])?.detail == "body: must have at most 16384 bytes")
        #expect(rejection(of: [UInt8](repeating: 0xFF, count: 1 << 20))?.reason == .tooLarge)

        let key = PostbackBody.genuine.adding("x", "\"\"")
        let filled = key.setting("x", "\"" + String(repeating: "x", count: 16_384 - key.bytes.count) + "\"")
        #expect(filled.bytes.count == 16_384)
        #expect(try filled.parsed().body.count == 16_384)
    }

    @Test("A body of thousands of distinct keys is read, and one of them twice is refused", arguments: [false, true])
    func manyKeys(_ escaped: Bool) throws {
        var body = String(PostbackBody.genuine.text.dropLast())
        var count = 0
        while body.utf8.count < 16_200 {
            body += (escaped ? #","\u006b"# : #",""#) + String(count, radix: 36) + #"":0"#
            count += 1
        }
        #expect(count > 900)
        #expect(rejection(of: body + "}") == nil)
        for index in [0, 20, 21, 22, 23, count - 1] {
            let again = #","\u006b"# + String(index, radix: 36) + #"":0}"#
            let plain = #",""# + String(index, radix: 36) + #"":0}"#
            let refusal = rejection(of: body + (escaped ? again : plain))
            #expect(refusal?.rule == "a key of this object stands twice")
            #expect(refusal?.byteOffset == body.utf8.count + 1)
        }
    }

    @Test("A hundred thousand keys take linear time, without the limit of size")
    func veryManyKeys() throws {
        let members = (0..<100_000).map { "\"\($0)\":0" }.joined(separator: ",")
        try Array("{\(members)}".utf8).withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes, maximumDepth: 1)
            var count = 0
            try scanner.scanDocument { (_, _) throws(JSONError) in count += 1 }
            #expect(count == 100_000)
        }
    }

    @Test("Integers keep every digit up to 2^63-1, and larger numbers are not integers")
    func integers() throws {
        let cases: [(String, Int64?)] = [
            ("0", 0), ("-1", -1), ("999999999999999999", 999_999_999_999_999_999),
            ("9007199254740993", 9_007_199_254_740_993),
            ("9223372036854775807", .max), ("-9223372036854775807", -.max), ("9223372036854775808", nil),
            ("9999999999999999999", nil), ("10000000000000000000", nil), ("18446744073709551616", nil),
            ("100000000000000000000000000000000000000000", nil), ("-0", nil), ("1.0", nil), ("0e0", nil),
        ]
        for (text, expected) in cases {
            try Array("[\(text)]".utf8).withUnsafeBufferPointer { bytes in
                var scanner = JSONScanner(bytes, maximumDepth: 1)
                try scanner.scanArrayDocument { (token, range) throws(JSONError) in
                    #expect(range == 1..<bytes.count - 1)
                    switch token {
                    case .integer(let integer): #expect(integer == expected, "\(text)")
                    case .number(let range): #expect(expected == nil && range == 1..<bytes.count - 1, "\(text)")
                    default: Issue.record("\(text) is a number")
                    }
                }
            }
        }
    }
}
