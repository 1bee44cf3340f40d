import Testing

@testable import PostgresClient

@Suite("The state of a pool")
struct PoolStateTests {
    private typealias State = PoolState<Int, String>
    private let start = ContinuousClock.now
    private let failure = PostgresError(.connectFailed, reason: "connection refused")

    @Test("Connections are made on demand, up to the size of the pool")
    func size() {
        var state = State(size: 2)
        #expect(state.wait(1, "a", now: start).connects == 1)
        #expect(state.wait(2, "b", now: start).connects == 1)
        #expect(state.wait(3, "c", now: start).connects == 0)
        #expect(state.connecting == 2)
        #expect(state.waiterCount == 3)
    }

    @Test("Waiters are served in order")
    func order() {
        var state = State(size: 1)
        for (id, name) in [(1, "a"), (2, "b"), (3, "c")] as [(UInt64, String)] { _ = state.wait(id, name, now: start) }
        #expect(state.connected(10, now: start).grants.map(\.waiter) == ["a"])
        #expect(state.abandon(2) == "b")
        #expect(state.abandon(2) == nil)
        #expect(state.release(10, now: start).grants.map(\.waiter) == ["c"])
        #expect(state.release(10, now: start).grants.isEmpty)
        #expect(state.idle == [10])
        #expect(state.wait(4, "d", now: start).grants.map(\.connection) == [10])
    }

    @Test("A lost connection is replaced for a waiter")
    func lost() {
        var state = State(size: 1)
        _ = state.wait(1, "a", now: start)
        _ = state.connected(10, now: start)
        _ = state.wait(2, "b", now: start)
        #expect(state.release(nil, now: start).connects == 1)
    }

    @Test("If a connection gave no answer in time, the idle ones are closed and replaced when they are needed")
    func unanswered() {
        var state = State(size: 3)
        for (id, connection) in [(1, 10), (2, 11), (3, 12)] as [(UInt64, Int)] {
            _ = state.wait(id, "a", now: start)
            _ = state.connected(connection, now: start)
        }
        _ = state.release(10, now: start)
        _ = state.release(11, now: start)
        let actions = state.releaseUnanswered(now: start)
        #expect(actions.connectionsToClose == [10, 11])
        #expect(state.idle.isEmpty && state.busy == 0)
        #expect(state.wait(4, "b", now: start).connects == 1)
    }

    @Test("After a failure one attempt at a time is made, and none before its time")
    func afterFailure() {
        var state = State(size: 4)
        _ = state.wait(1, "a", now: start)
        _ = state.wait(2, "b", now: start)
        // One attempt is still under way: it may serve both.
        #expect(state.connectFailed(failure, now: start, jitter: 1).refusals.isEmpty)
        #expect(state.connectFailed(failure, now: start, jitter: 1).refusals.map(\.waiter) == ["a", "b"])
        let during = state.wait(3, "c", now: start.advanced(by: .milliseconds(99)))
        #expect(during.connects == 0)
        #expect(during.refusals.map(\.waiter) == ["c"])
        #expect(during.refusals.first?.error as? PostgresError == failure)
        let later = start.advanced(by: .milliseconds(100))
        #expect(state.wait(4, "d", now: later).connects == 1)
        #expect(state.wait(5, "e", now: later).connects == 0)
        let recovered = state.connected(10, now: later)
        #expect(recovered.grants.map(\.waiter) == ["d"])
        #expect(recovered.connects == 1)
        #expect(state.failures == 0)
    }

    @Test("While a connection is in use, callers may wait for it")
    func waitForBusy() {
        var state = State(size: 2)
        _ = state.wait(1, "a", now: start)
        _ = state.connected(10, now: start)
        _ = state.wait(2, "b", now: start)
        #expect(state.connectFailed(failure, now: start, jitter: 0).refusals.isEmpty)
        #expect(state.wait(3, "c", now: start).refusals.isEmpty)
        #expect(state.release(10, now: start).grants.map(\.waiter) == ["b"])
        #expect(state.release(nil, now: start).refusals.map(\.waiter) == ["c"])
    }

    @Test("After sessions that allow no writing the pauses grow, until one is good")
    func readOnly() throws {
        var state = State(size: 1)
        var now = start
        for pause in [50, 100, 200, 400] {
            #expect(state.wait(1, "a", now: now).connects == 1)
            #expect(state.connected(10, now: now).grants.map(\.connection) == [10])
            #expect(state.releaseReadOnly(now: now, jitter: 1).connects == 0)
            let during = state.wait(2, "b", now: now.advanced(by: .milliseconds(pause - 1)))
            let error = try #require(during.refusals.first?.error as? PostgresError)
            #expect(error.code == .connectFailed && error.isReadOnlySession)
            now = now.advanced(by: .milliseconds(pause))
        }
        _ = state.wait(3, "c", now: now)
        _ = state.connected(11, now: now)
        _ = state.release(11, now: now)
        #expect(state.takeIdle() == 11)
        _ = state.releaseReadOnly(now: now, jitter: 1)
        #expect(state.wait(4, "d", now: now.advanced(by: .milliseconds(50))).connects == 1)
    }

    @Test("Closing refuses the waiters and waits for connections in use")
    func close() {
        var state = State(size: 2)
        _ = state.wait(1, "a", now: start)
        _ = state.connected(10, now: start)
        _ = state.wait(2, "b", now: start)
        let closing = state.close()
        #expect((closing.refusals.first?.error as? PostgresError)?.code == .poolClosed)
        #expect(!state.isDrained)
        #expect(state.connected(11, now: start).connectionsToClose == [11])
        #expect(state.release(10, now: start).connectionsToClose == [10])
        #expect(state.isDrained)
        #expect((state.wait(3, "c", now: start).refusals.first?.error as? PostgresError)?.code == .poolClosed)
    }
}
