import Encodings
import Foundation
import TestSupport
import Testing

@testable import AdminAPI

@Suite("Pairs of queries and forms")
struct FormPairsTests {
    private func pairs(_ text: String) throws -> [String] {
        try FormPairs.read(text.utf8).map { "\($0.name)|\($0.value)" }
    }

    @Test("Names and values are decoded, in their order; empty pairs are left out")
    func read() throws {
        #expect(try pairs("") == [])
        #expect(try pairs("a=1&b=2&a=3") == ["a|1", "b|2", "a|3"])
        #expect(try pairs("&&a&b=&=c&") == ["a|", "b|", "|c"])
        #expect(try pairs("a=b=c&d=%3D%26+%2b") == ["a|b=c", "d|=& +"])
        #expect(try pairs("t%C3%B6=%e2%82%AC") == ["tö|€"])
    }

    @Test(
        "What is no UTF-8 in percent-encoding is refused, with its name as it came",
        arguments: [
            "a=1&name=%", "a=1&name=%4", "a=1&name=%4g", "a=1&name=%FF", "a=1&name=%C3",
        ])
    func broken(text: String) {
        #expect(throws: Problem(.invalidParameter, field: "name", rule: "must be UTF-8 in percent-encoding")) {
            try FormPairs.read(text.utf8)
        }
        #expect(throws: Problem.self) { try FormPairs.read([UInt8(ascii: "a"), 0xFF]) }
    }

    @Test("A hundred pairs are read, and of more nothing is decoded")
    func many() throws {
        #expect(try FormPairs.read(String(repeating: "a=1&", count: 100).utf8).count == 100)
        for more in ["b", "%", String(repeating: "a&", count: 1_000_000)] {
            #expect(throws: Problem(.invalidParameter, field: "form", rule: "must have at most 100 parameters")) {
                try FormPairs.read((String(repeating: "a=1&", count: 100) + more).utf8, field: "form")
            }
        }
    }

    @Test("A text that is written and read again is the same, and only RFC 3986's unreserved characters stay")
    func written() throws {
        var random = SeededGenerator(seed: 28)
        for _ in 0..<200 {
            let texts = (0..<4).map { _ in
                String(
                    String.UnicodeScalarView(
                        (0..<Int.random(in: 0...20, using: &random)).compactMap { _ in
                            Unicode.Scalar(UInt32.random(in: 1...0x2FF, using: &random))
                        }))
            }
            let pairs = [(name: "a" + texts[0], value: texts[1]), (name: "b" + texts[2], value: texts[3])]
            let text = PercentEncoding.query(of: pairs)
            #expect(
                text.wholeMatch(of: /[A-Za-z0-9\-._~%]+=[A-Za-z0-9\-._~%]*&[A-Za-z0-9\-._~%]+=[A-Za-z0-9\-._~%]*/)
                    != nil)
            let again = try FormPairs.read(text.utf8)
            #expect(again.map(\.name) == pairs.map(\.name) && again.map(\.value) == pairs.map(\.value), "\(text)")
        }
        #expect(PercentEncoding.query(of: [("a b", "/ö~")]) == "a%20b=%2F%C3%B6~")
    }
}
