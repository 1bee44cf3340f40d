import ECDSA
import Encodings
import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import EventLog
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
        #expect(LogCursor.start.description == Self.text(1, []))
        #expect(LogCursor(LogCursor.start.description) == .start)
        let last = try #require(LogPlace(position: .max, ordinal: .max))
        let most = LogCursor(Dictionary(uniqueKeysWithValues: (0..<1_024).map { (Int16.max - $0, last) }))
        #expect(most.places.count == 1_024)
        #expect(LogCursor(most.description) == most)
        let tooMany = LogCursor(Dictionary(uniqueKeysWithValues: (0...1_024).map { (Int16.max - $0, last) }))
        #expect(LogCursor(tooMany.description) == nil)
    }

    @Test("A cursor of today takes about nine characters for each lane")
    func size() throws {
        let places = try (0..<64).map { lane in
            let day = PostgresDate(daysSince2000: 9_823)
            let position = WritingDay.firstPosition(day) + Int64(lane) * 1_000 + 5
            return (Int16(lane), try #require(LogPlace(position: position, ordinal: 200)))
        }
        let cursor = LogCursor(Dictionary(uniqueKeysWithValues: places))
        #expect(cursor.description.utf8.count < 64 * 10)
        #expect(LogCursor(cursor.description) == cursor)
    }

    @Test("A lane that is at its beginning is not named")
    func beginning() {
        #expect(LogCursor([0: .beginning, 3: .beginning]) == .start)
        #expect(LogCursor.start[7] == .beginning)
    }

    /// A text with these bytes behind its version, and the right check.
    private static func text(_ version: UInt8, _ bytes: [UInt8]) -> String {
        Base64.encode([version] + bytes + SHA256.digest([version] + bytes).prefix(4), .urlSafe)
    }

    @Test("Another spelling or number is not a cursor")
    func refused() throws {
        // Lane 0, the first day, counter 5, ordinal 1; then the next lane on the day after it.
        let places: [UInt8] = [0, 0, 5, 1, 0, 2, 5, 1]
        let good = Self.text(1, places)
        let first = try #require(LogPlace(position: 5, ordinal: 1))
        let second = try #require(LogPlace(position: 1 << 32 | 5, ordinal: 1))
        let read = try #require(LogCursor(good))
        #expect(read.places == [0: first, 1: second])
        let bad = [
            "", "A", "AQ", "AQ==", " " + good, good + "\n", good + "\0", good + "A", good + "=",
            String(good.dropLast()), String(good.dropFirst()), String(repeating: "A", count: 1_000_000), "Ａ", "é",
            // Other versions; a wrong check.
            Self.text(0, places), Self.text(2, places), Base64.encode([1] + places + [0, 0, 0, 0], .urlSafe),
            // A number without an end, with too many bits, with more bytes than it needs.
            Self.text(1, [0, 0, 5, 0x81]), Self.text(1, [0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 1]),
            Self.text(1, [0, 0, 0x85, 0, 1]), Self.text(1, [0, 0, 5, 1, 0]),
            // Lane and ordinal beyond their range, a day before the first one, the beginning.
            Self.text(1, [0x80, 0x80, 2, 0, 5, 1]), Self.text(1, [0, 0, 5, 0x80, 0x80, 2]), Self.text(1, [0, 1, 5, 1]),
            Self.text(1, [0, 0, 0, 0]),
        ]
        for text in bad { #expect(LogCursor(text) == nil, "\(text.prefix(40))") }
    }

    @Test("A changed text is another cursor with the same text, or not a cursor", arguments: 1...4)
    func fuzz(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var read = 0
        for _ in 0..<3_000 {
            let unchanged = try Self.random(&generator).description
            var text = Array(unchanged.utf8)
            let kind = Int.random(in: 0...3, using: &generator)
            switch kind {
            case 0: text[Int.random(in: text.indices, using: &generator)] = UInt8.random(in: 0...127, using: &generator)
            case 1: text.removeLast(Int.random(in: 0..<text.count, using: &generator))
            case 2:
                text.insert(
                    UInt8.random(in: 33...126, using: &generator), at: Int.random(in: text.indices, using: &generator))
            default:
                text = Array(Self.text(1, generator.bytes(Int.random(in: 0...40, using: &generator))).utf8)
            }
            let changed = String(decoding: text, as: UTF8.self)
            guard let cursor = LogCursor(changed) else { continue }
            // A changed character would have to keep 32 bits of SHA-256.
            #expect(kind == 3 || changed == unchanged)
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
