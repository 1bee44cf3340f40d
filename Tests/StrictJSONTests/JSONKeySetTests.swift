import Testing

@testable import StrictJSON

/// What a key costs does not depend on the other keys: work is counted, not time.
@Suite("Keys of an object")
struct JSONKeySetTests {
    /// The set after all keys of a flat object were taken in, and how many were new.
    private func keys(_ names: [String]) -> (unescaped: Int, compared: Int, new: Int) {
        Array(names.joined(separator: "\"").utf8).withUnsafeBufferPointer { bytes in
            var set = JSONKeySet(bytes)
            var start = 0
            var new = 0
            for name in names {
                let end = start + name.utf8.count
                let range = JSONStringRange(start: start, end: end, hasEscapes: name.contains("\\"))
                if set.insert(range) { new += 1 }
                start = end + 1
            }
            return (set.unescaped.count, set.comparedBytes, new)
        }
    }

    @Test("A key with escapes is unescaped once, and no two different keys are compared byte for byte")
    func escapedKeys() {
        // Of equal length, with equal beginnings and ends, so that only all of it tells them apart.
        let names = (10..<42).map { #"\u0061bcdefghijklmnopqrst\u002d\#($0)\u002duvwxyz0123456789"# }
        let result = keys(names)
        #expect(result.new == 32)
        #expect(result.unescaped == 32 * 40)
        #expect(result.compared == 0)
    }

    @Test("Keys without escapes are neither copied nor compared, if they differ")
    func plainKeys() {
        let result = keys((10..<42).map { "key-\($0)-with-the-same-end" })
        #expect(result.new == 32)
        #expect(result.unescaped == 0)
        #expect(result.compared == 0)
    }

    @Test("A key that stands twice is compared once, with the one that it is equal to")
    func twice() {
        let result = keys(["a", "b", "name", "c", #"n\u0061me"#])
        #expect(result.new == 4)
        #expect(result.compared == 4)
        #expect(result.unescaped == 4)
    }

    @Test("Every pair of short keys is told apart or found equal, with and without escapes")
    func allPairs() {
        let texts = [
            "", "a", "b", "aa", "ab", "ba", "\u{E9}", "e\u{301}", "\u{0}", "\u{0}\u{0}", "aaaaaaaa", "aaaaaaaab",
            "baaaaaaaa",
        ]
        for left in texts {
            for right in texts {
                for (first, second) in [
                    (left, right), (escaped(left), right), (left, escaped(right)), (escaped(left), escaped(right)),
                ] {
                    #expect(
                        keys([first, second]).new == (left.utf8.elementsEqual(right.utf8) ? 1 : 2), "\(first) \(second)"
                    )
                }
            }
        }
    }

    private func escaped(_ text: String) -> String {
        text.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
