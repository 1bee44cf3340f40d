import EventLog
import Foundation
import PostgresClient
import Testing

@testable import Forwarding

@Suite("The window of a reader")
struct SendingWindowTests {
    private typealias Window = SendingWindow<String, String>

    private let start = ContinuousClock.now
    private let patience = Duration.seconds(2)

    /// The cursor behind the event with this number.
    private func cursor(_ number: Int32) -> LogCursor {
        LogCursor.beginning(of: PostgresDate(daysSince2000: 9_000 + number), in: [0])
    }

    /// A window of events 1, 2, …, whose postbacks have these names.
    private func window(_ postbacks: [String]) -> Window {
        var window = Window(from: cursor(0))
        var ids: [String: UUID] = [:]
        for (index, postback) in postbacks.enumerated() {
            let id = ids[postback] ?? UUID()
            ids[postback] = id
            window.add("\(postback)\(index + 1)", of: id, upTo: cursor(Int32(index) + 1))
        }
        return window
    }

    private func begin(_ window: inout Window, at time: ContinuousClock.Instant) -> [(Window.Place, String)] {
        var begun: [(Window.Place, String)] = []
        while let (place, item) = window.begin(at: time, unless: { _ in false }) { begun.append((place, item)) }
        return begun
    }

    private func taken(_ window: inout Window, at time: ContinuousClock.Instant) throws -> Window.Released {
        let released = window.release(at: time, patience: patience)
        return try #require(released)
    }

    @Test("Events begin in the order of the log, and the cursor passes those that are finished without a gap")
    func prefix() throws {
        var window = window(["a", "b", "c", "d"])
        let begun = begin(&window, at: start)
        #expect(begun.map(\.1) == ["a1", "b2", "c3", "d4"])
        window.finish(begun[1].0, "b")
        #expect(window.release(at: start, patience: patience) == nil)
        window.finish(begun[0].0, "a")
        window.finish(begun[3].0, "d")
        let released = try taken(&window, at: start)
        #expect(released.endings == ["a", "b"])
        #expect(released.from == cursor(0))
        #expect(released.to == cursor(2))
        window.finish(begun[2].0, "c")
        let rest = try taken(&window, at: start)
        #expect(rest.endings == ["c", "d"])
        #expect(rest.from == cursor(2))
        #expect(rest.to == cursor(4))
        #expect(window.isEmpty)
    }

    @Test("Events of one postback begin one after the other, and do not hold up those of others")
    func order() {
        var window = window(["a", "a", "b", "a"])
        var begun = begin(&window, at: start)
        #expect(begun.map(\.1) == ["a1", "b3"])
        window.finish(begun[0].0, "")
        begun = begin(&window, at: start)
        #expect(begun.map(\.1) == ["a2"])
        window.finish(begun[0].0, "")
        #expect(begin(&window, at: start).map(\.1) == ["a4"])
    }

    @Test("An event whose postback is busy elsewhere waits, and the next one begins")
    func busy() {
        var window = Window(from: cursor(0))
        let busy = UUID()
        window.add("busy", of: busy, upTo: cursor(1))
        window.add("free", of: UUID(), upTo: cursor(2))
        let items = [
            window.begin(at: start, unless: { $0 == busy })?.item,
            window.begin(at: start, unless: { $0 == busy })?.item,
            window.begin(at: start, unless: { _ in false })?.item,
        ]
        #expect(items == ["free", nil, "busy"])
    }

    @Test("The cursor passes an event that takes too long; it is handed over with its attempt")
    func straggler() throws {
        var window = window(["a", "b", "a"])
        let begun = begin(&window, at: start)
        window.finish(begun[1].0, "b")
        #expect(window.release(at: start + .milliseconds(1_999), patience: patience) == nil)
        let released = try taken(&window, at: start + .seconds(2))
        #expect(released.endings == ["b"])
        #expect(released.handedOver.map(\.item) == ["a1"])
        #expect(released.to == cursor(2))
        #expect(!window.holds(begun[0].0))
        #expect(begin(&window, at: start).map(\.1) == ["a3"])
    }

    @Test("Events that the destination does not get cost nothing, and the cursor passes them")
    func skipped() throws {
        var window = Window(from: cursor(0))
        window.skip(to: cursor(1))
        window.skip(to: cursor(2))
        window.add("a", of: UUID(), upTo: cursor(3))
        window.skip(to: cursor(4))
        #expect(window.end == cursor(4))
        let first = try taken(&window, at: start)
        #expect(first.to == cursor(2))
        #expect(first.endings.isEmpty)
        #expect(window.isIdle)
        let begun = begin(&window, at: start)
        #expect(!window.isIdle)
        window.finish(begun[0].0, "a")
        let last = try taken(&window, at: start)
        #expect(last.to == cursor(4))
    }

    @Test("An attempt that did not take place is put back in its order")
    func putBack() throws {
        var window = window(["a", "b", "c"])
        let first = window.begin(at: start, unless: { _ in false })
        let (place, _) = try #require(first)
        window.putBack(place)
        #expect(window.waiting == 3)
        #expect(begin(&window, at: start).map(\.1) == ["a1", "b2", "c3"])
    }
}
