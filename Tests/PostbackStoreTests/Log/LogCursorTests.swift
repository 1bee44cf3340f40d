import Encodings
import TestSupport
import Testing

@testable import AdAttribution
@testable import PostbackStore

@Suite("Cursors of the log as text")
struct LogCursorTests {
    private static func random(_ random: inout SeededGenerator) throws -> LogCursor {
        var places: [Int16: LogPlace] = [:]
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            let lane = Int16.random(in: 0...(.max), using: &random)
            let place = try #require(
                LogPlace(
                    position: Int64.random(in: 0...(.max), using: &random) >> Int64.random(in: 0...62, using: &random),
                    ordinal: Int16.random(in: 0...(.max), using: &random)))
            places[lane] = place
        }
        return LogCursor(places)
    }

    @Test("A cursor can be read from its text, which is safe in a URL", arguments: 1...4)
    func roundTrip(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<500 {
            let cursor = try Self.random(&generator)
            let text = cursor.description
            #expect(LogCursor(text) == cursor)
            #expect(
                text.utf8.allSatisfy { Array("-_".utf8).contains($0) || Character(UnicodeScalar($0)).isAlphanumeric })
        }
    }

    @Test("The start, the greatest numbers and the greatest number of lanes are valid cursors")
    func extremes() throws {
        #expect(LogCursor.start.description == "AQ")
        #expect(LogCursor("AQ") == .start)
        let last = try #require(LogPlace(position: .max, ordinal: .max))
        let most = LogCursor(Dictionary(uniqueKeysWithValues: (0..<1_024).map { (Int16.max - $0, last) }))
        #expect(most.places.count == 1_024)
        #expect(most.description.utf8.count == 16_386)
        #expect(LogCursor(most.description) == most)
        let tooMany = LogCursor(Dictionary(uniqueKeysWithValues: (0...1_024).map { (Int16.max - $0, last) }))
        #expect(LogCursor(tooMany.description) == nil)
    }

    @Test("A lane that is at its beginning is not named")
    func beginning() {
        #expect(LogCursor([0: .beginning, 3: .beginning]) == .start)
        #expect(LogCursor.start[7] == .beginning)
    }

    private static func text(_ version: UInt8, _ places: [(lane: Int16, position: Int64, ordinal: Int16)]) -> String {
        var bytes = [version]
        for place in places {
            withUnsafeBytes(of: place.lane.bigEndian) { bytes += $0 }
            withUnsafeBytes(of: place.position.bigEndian) { bytes += $0 }
            withUnsafeBytes(of: place.ordinal.bigEndian) { bytes += $0 }
        }
        return Base64.encode(bytes, .urlSafe)
    }

    @Test("Another spelling or number is not a cursor")
    func refused() {
        let good = Self.text(1, [(0, 5, 1), (1, 5, 1)])
        #expect(LogCursor(good) != nil)
        let bad = [
            "", "A", "AQ==", " AQ", "AQ\n", "AQ\0", "AR", "AA", "Ag", good + "A", good + "=", String(good.dropLast()),
            String(repeating: "A", count: 1_000_000), "Ａ", "é",
            Self.text(0, [(0, 5, 1)]), Self.text(2, [(0, 5, 1)]),
            // Lanes twice, out of order, negative; positions and ordinals negative; the beginning.
            Self.text(1, [(1, 5, 1), (1, 6, 1)]), Self.text(1, [(1, 5, 1), (0, 5, 1)]), Self.text(1, [(-1, 5, 1)]),
            Self.text(1, [(0, -1, 1)]), Self.text(1, [(0, .min, 1)]), Self.text(1, [(0, 5, -1)]),
            Self.text(1, [(0, 0, 0)]),
        ]
        for text in bad { #expect(LogCursor(text) == nil, "\(text.prefix(40))") }
    }

    @Test("A changed text is another cursor with the same text, or not a cursor", arguments: 1...4)
    func fuzz(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var read = 0
        for _ in 0..<3_000 {
            var text = Array(try Self.random(&generator).description.utf8)
            switch Int.random(in: 0...3, using: &generator) {
            case 0: text[Int.random(in: text.indices, using: &generator)] = UInt8.random(in: 0...127, using: &generator)
            case 1: text.removeLast(Int.random(in: 0..<text.count, using: &generator))
            case 2:
                text.insert(
                    UInt8.random(in: 33...126, using: &generator), at: Int.random(in: text.indices, using: &generator))
            default:
                text = Array(
                    Base64.encode([1] + generator.bytes(Int.random(in: 0...40, using: &generator)), .urlSafe).utf8)
            }
            let changed = String(decoding: text, as: UTF8.self)
            guard let cursor = LogCursor(changed) else { continue }
            read += 1
            #expect(cursor.description == changed)
            #expect(cursor.places.allSatisfy { $0.key >= 0 && $0.value.position >= 0 && $0.value.ordinal >= 0 })
        }
        #expect(read > 0)
    }
}

extension Character {
    fileprivate var isAlphanumeric: Bool { isASCII && (isLetter || isNumber) }
}
