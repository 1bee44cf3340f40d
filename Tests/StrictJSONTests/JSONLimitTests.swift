import Testing

@testable import StrictJSON

/// Size and depth are bounded, and the cost of a body is in proportion to its size.
@Suite("JSON limits")
struct JSONLimitTests {
    private static func nested(_ depth: Int, _ open: String, _ close: String) -> String {
        String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)
    }

    @Test("Eight levels are read, the ninth is refused at its bracket", arguments: [("[", "]"), (#"{"a":"#, "}")])
    func depth(_ open: String, _ close: String) {
        let head = #"{"version":"4.0","x":"#
        #expect(refusal(of: head + Self.nested(7, open, close) + "}") == nil)
        let error = refusal(of: head + Self.nested(8, open, close) + "}")
        #expect(error?.rule == .tooDeep)
        #expect(error?.offset == head.utf8.count + 7 * open.utf8.count)
    }

    @Test("Ten KiB of open brackets are refused at the ninth", arguments: ["[", #"{"a":"#, #"[{"a":"#])
    func bombs(_ open: String) {
        let bomb = String(repeating: open, count: 10_240 / open.utf8.count)
        let error = refusal(of: bomb)
        #expect(error?.rule == .tooDeep)
        #expect((error?.offset ?? 0) < 64)
        #expect(refusal(of: #"{"a":"# + bomb)?.rule == .tooDeep)
    }

    @Test("A body of thousands of distinct keys is read, and one of them twice is refused", arguments: [false, true])
    func manyKeys(_ escaped: Bool) throws {
        var body = #"{"version":"4.0""#
        var count = 0
        while body.utf8.count < 16_200 {
            body += (escaped ? #","\u006b"# : #",""#) + String(count, radix: 36) + #"":0"#
            count += 1
        }
        #expect(count > 900)
        #expect(refusal(of: body + "}") == nil)
        for index in [0, 20, 21, 22, 23, count - 1] {
            let again = #","\u006b"# + String(index, radix: 36) + #"":0}"#
            let plain = #",""# + String(index, radix: 36) + #"":0}"#
            let error = refusal(of: body + (escaped ? again : plain))
            #expect(error?.rule == .duplicateKey)
            #expect(error?.offset == body.utf8.count + 1)
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
