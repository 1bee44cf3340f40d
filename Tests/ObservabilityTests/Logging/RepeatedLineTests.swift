import Logging
import Synchronization
import Testing

@testable import Observability

@Suite("Lines that repeat")
struct RepeatedLineTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        @Sendable func take(_ line: [UInt8]) { lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }

        var all: [String] { lines.withLock { $0 } }
    }

    private let start = ContinuousClock.now

    @Test("A line is written once a second, and the next one tells how many were left out")
    func pace() {
        var pace = LinePace()
        #expect(pace.admit(at: start) == 0)
        #expect(pace.admit(at: start) == nil)
        #expect(pace.admit(at: start + .milliseconds(999)) == nil)
        #expect(pace.admit(at: start + .seconds(1)) == 2)
        #expect(pace.admit(at: start + .milliseconds(1_999)) == nil)
        #expect(pace.admit(at: start + .seconds(60)) == 1)
        #expect(pace.admit(at: start + .seconds(120)) == 0)
    }

    @Test("Seventy thousand lines of a minute become sixty, and none is uncounted")
    func outage() {
        let lines = Lines()
        let logger = Logger(label: "x") { TextLogHandler(label: $0, sink: lines.take, now: { 0 }) }
        let line = RepeatedLine(.warning, "not stored")
        for index in 0..<70_000 {
            line.log(to: logger, ["count": "7"], at: start + .seconds(60) * (Double(index) / 70_000))
        }
        #expect(lines.all.count == 60)
        #expect(lines.all.first == "1970-01-01T00:00:00.000Z warning x: not stored count=7\n")
        let suppressed = lines.all.dropFirst().compactMap { line in
            line.firstMatch(of: /suppressed=([0-9]+)\n/).flatMap { Int($0.1) }
        }
        #expect(suppressed.count == 59)
        // Those of the last second would be told by the next line.
        #expect((68_700...70_000).contains(60 + suppressed.reduce(0, +)))
    }

    @Test("Lines with different messages do not suppress each other")
    func others() {
        let lines = Lines()
        let logger = Logger(label: "x") { TextLogHandler(label: $0, sink: lines.take, now: { 0 }) }
        RepeatedLine(.warning, "a").log(to: logger, [:], at: start)
        RepeatedLine(.warning, "b").log(to: logger, [:], at: start)
        #expect(lines.all.count == 2)
    }
}
