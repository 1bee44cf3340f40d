import Foundation
import Logging
import Synchronization
import Testing

@testable import Observability

@Suite("JSON log lines")
struct JSONLogHandlerTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[[UInt8]]>([])

        @Sendable func take(_ line: [UInt8]) { lines.withLock { $0.append(line) } }

        var all: [[UInt8]] { lines.withLock { $0 } }

        var text: String { all.map { String(decoding: $0, as: UTF8.self) }.joined() }

        /// The only line, parsed by somebody else's parser.
        func object() throws -> [String: Any] {
            let line = try #require(all.first)
            #expect(all.count == 1)
            #expect(line.last == UInt8(ascii: "\n"))
            #expect(line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
            return try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let lines = Lines()

    private func logger(
        level: Logger.Level = .trace, provider: Logger.MetadataProvider? = nil, limit: Int = 16 * 1024
    ) -> Logger {
        Logger(label: "ingest") { label in
            JSONLogHandler(
                label: label, sink: lines.take, level: level, metadataProvider: provider, maximumLineLength: limit,
                now: { 1_769_903_999_999 })
        }
    }

    @Test("A line has time, level, logger, message and metadata, in this order")
    func order() {
        logger().notice("started", metadata: ["port": "8080"])
        #expect(
            lines.text == #"{"time":"2026-01-31T23:59:59.999Z","level":"notice","logger":"ingest","message":"started","#
                + #""metadata":{"port":"8080"}}"# + "\n")
    }

    @Test("A line without metadata has no metadata member")
    func noMetadata() throws {
        logger().info("x")
        #expect(try lines.object()["metadata"] == nil)
    }

    @Test("Metadata of handler, provider and event are merged, and the later one counts")
    func mergedMetadata() {
        var logger = logger(provider: .init { ["b": "provider", "c": "provider"] })
        logger[metadataKey: "a"] = "handler"
        logger[metadataKey: "b"] = "handler"
        logger.info("x", metadata: ["c": "event"])
        #expect(lines.text.contains(#""metadata":{"a":"handler","b":"provider","c":"event"}"#))
    }

    @Test("Nested metadata stays nested, and numbers stay numbers")
    func nestedMetadata() {
        let metadata: Logger.Metadata = [
            "nested": ["list": ["a", ["deep": "b"]], "empty": .array([])],
            "number": .stringConvertible(Int64.min), "flag": .stringConvertible(true),
            "fraction": .stringConvertible(Double.nan),
        ]
        logger().info("x", metadata: metadata)
        #expect(
            lines.text.contains(
                #""metadata":{"flag":true,"fraction":"nan","nested":{"empty":[],"list":["a",{"deep":"b"}]},"#
                    + #""number":-9223372036854775808}"#))
    }

    @Test("An error is shown by its description only")
    func errors() throws {
        logger().error("failed", error: Failure(description: "no \"route\""))
        #expect(try lines.object()["error"] as? String == "no \"route\"")
    }

    @Test(
        "Any string is preserved as a value and as a key",
        arguments: [
            "quote \" backslash \\ slash /", "line\nfeed\r\ttab", "\u{0}\u{1}\u{1F}\u{7F}\u{85}\u{9B}31m",
            "é 漢 👩‍👩‍👧‍👦 \u{2028} \u{FFFD} \u{10FFFF}",
            String(decoding: [0xFF, 0xC3, 0x28, 0xED, 0xA0, 0x80], as: UTF8.self), "",
        ])
    func strings(text: String) throws {
        logger().info("\(text)", metadata: [text: .string(text)])
        let object = try lines.object()
        #expect(object["message"] as? String == text)
        #expect((object["metadata"] as? [String: String])?[text] == text)
        #expect(!(lines.all.first ?? []).dropLast().contains { $0 < 0x20 || $0 == 0x7F })
    }

    @Test("A value that is too long is cut, and the others are still shown")
    func longValue() throws {
        logger().info(
            "short", metadata: ["a": .string(String(repeating: "é\"", count: 1_000_000)), "z": "still here"])
        let object = try lines.object()
        let metadata = try #require(object["metadata"] as? [String: String])
        #expect(metadata["z"] == "still here")
        #expect(metadata["a"]?.hasSuffix("…") == true)
        #expect(object["truncated"] as? Bool == true)
        #expect((lines.all.first?.count ?? 0) <= 16 * 1024)
    }

    @Test("No line is longer than the limit, and every line is JSON", arguments: [256, 300, 1_000, 4_096])
    func limit(limit: Int) throws {
        var deep = Logger.MetadataValue.string(String(repeating: "\u{1}", count: 99))
        for level in 0..<60 { deep = level.isMultiple(of: 2) ? .array([deep, deep]) : ["k\(level)": deep] }
        var metadata: Logger.Metadata = ["deep": deep]
        for key in 0..<2_000 { metadata["key \(key)"] = ["inner": .array([.stringConvertible(key), "value"])] }
        logger(limit: limit).info("\(String(repeating: "m", count: 90))", metadata: metadata)
        #expect(try lines.object()["truncated"] as? Bool == true)
        #expect((lines.all.first?.count ?? .max) <= limit)
    }

    @Test("Messages below the level are not logged")
    func level() {
        logger(level: .warning).info("quiet")
        #expect(lines.all.isEmpty)
    }

    @Test(
        "Times are in UTC with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (4_107_542_399_001, "2100-02-28T23:59:59.001Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (1_735_689_599_050, "2024-12-31T23:59:59.050Z"),
            (Int64.max, "9999-12-31T23:59:59.999Z"), (Int64.min, "0000-01-01T00:00:00.000Z"),
        ])
    func timestamps(milliseconds: Int64, text: String) {
        #expect(LogTimestamp(milliseconds: milliseconds).rfc3339 == text)
    }

    @Test("The wall clock is later than the year in which this test was written")
    func wallClock() {
        #expect(SystemClock.milliseconds() > 1_767_225_600_000)
    }
}
