import Logging
import Synchronization
import Testing

@testable import Observability

@Suite("Text log lines")
struct TextLogHandlerTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[[UInt8]]>([])

        @Sendable func take(_ line: [UInt8]) { lines.withLock { $0.append(line) } }

        var text: String { lines.withLock { $0.map { String(decoding: $0, as: UTF8.self) } }.joined() }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let lines = Lines()

    private func logger(level: Logger.Level = .trace, limit: Int = 16 * 1024) -> Logger {
        Logger(label: "ingest") { label in
            TextLogHandler(
                label: label, sink: lines.take, level: level, metadataProvider: .init { ["a": "provider"] },
                maximumLineLength: limit, now: { 1_769_903_999_999 })
        }
    }

    @Test("A line has time, level, logger, message, error and metadata, in this order")
    func order() {
        logger().warning(
            "not stored", error: Failure(description: "no \"route\""), metadata: ["count": "3", "a": "event"])
        #expect(
            lines.text == "2026-01-31T23:59:59.999Z warning ingest: not stored "
                + "error=\"no \\\"route\\\"\" a=event count=3\n")
    }

    @Test("Nothing in a message, a key or a value begins a line or controls a terminal")
    func injection() {
        let attack = "x\n2026-01-31T23:59:59.999Z info ingest: forged\u{1B}[2J\u{9B}31m\r\u{0}\u{2028}"
        logger().info("\(attack)", metadata: [attack: "\(attack)", "b": ["\(attack)"], "c": ["\(attack)": "d"]])
        #expect(lines.text.split(separator: "\n").count == 1)
        #expect(
            !lines.text.dropLast().unicodeScalars.contains { ["\u{9B}", "\u{1B}", "\r", "\0", "\n"].contains($0) })
    }

    @Test("An empty value and a value with spaces are quoted")
    func quoting() {
        logger().info("x", metadata: ["b": "", "c": "two words", "d": "a=b", "e": "plain"])
        #expect(lines.text.hasSuffix("ingest: x a=provider b=\"\" c=\"two words\" d=\"a=b\" e=plain\n"))
    }

    @Test("A line that is too long is cut at a whole character")
    func limit() {
        logger(limit: 100).info("\(String(repeating: "é", count: 1_000))")
        #expect(lines.text.utf8.count <= 100)
        #expect(lines.text.hasSuffix("éé…\n"))
    }

    @Test("Messages below the level are not logged")
    func level() {
        logger(level: .warning).info("quiet")
        #expect(lines.text.isEmpty)
    }
}
