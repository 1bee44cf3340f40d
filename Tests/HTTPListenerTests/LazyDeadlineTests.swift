import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPListener

@Suite("Deadlines that move")
struct LazyDeadlineTests {
    private final class Count {
        var value = 0
    }

    private let loop = EmbeddedEventLoop()
    private let count = Count()

    private func deadline() -> LazyDeadline {
        LazyDeadline(eventLoop: loop) { [count] in count.value += 1 }
    }

    @Test("A deadline expires once, at its time")
    func once() {
        let deadline = deadline()
        deadline.set(after: .seconds(10))
        loop.advanceTime(by: .milliseconds(9_999))
        #expect(count.value == 0)
        loop.advanceTime(by: .milliseconds(1))
        #expect(count.value == 1)
        loop.advanceTime(by: .hours(1))
        #expect(count.value == 1)
    }

    @Test("A deadline that was moved later expires at the later time")
    func later() {
        let deadline = deadline()
        deadline.set(after: .seconds(10))
        loop.advanceTime(by: .seconds(9))
        deadline.set(after: .seconds(10))
        loop.advanceTime(by: .milliseconds(9_999))
        #expect(count.value == 0)
        loop.advanceTime(by: .milliseconds(1))
        #expect(count.value == 1)
    }

    @Test("A deadline that was moved earlier expires at the earlier time")
    func earlier() {
        let deadline = deadline()
        deadline.set(after: .seconds(60))
        deadline.set(after: .seconds(1))
        loop.advanceTime(by: .seconds(1))
        #expect(count.value == 1)
    }

    @Test("A cleared deadline does not expire and can be set again")
    func cleared() {
        let deadline = deadline()
        deadline.set(after: .seconds(1))
        deadline.clear()
        loop.advanceTime(by: .seconds(5))
        #expect(count.value == 0)
        deadline.set(after: .seconds(1))
        loop.advanceTime(by: .seconds(1))
        #expect(count.value == 1)
        deadline.set(after: .seconds(1))
        deadline.cancel()
        loop.advanceTime(by: .seconds(5))
        #expect(count.value == 1)
    }
}
