import Destinations
import TestSupport
import Testing

@testable import Forwarding

@Suite("When a destination gets the next request")
struct LimitsTests {
    private let start = ContinuousClock.now

    @Test("The breaker opens after 20 failures in a row, and lets one attempt a minute through until one succeeds")
    func breaker() {
        var breaker = CircuitBreaker(at: start)
        for _ in 1...19 { breaker.failed(begunAt: start, at: start) }
        #expect(!breaker.isOpen)
        #expect(breaker.allows(at: start))
        breaker.failed(begunAt: start, at: start)
        #expect(breaker.isOpen)
        #expect(!breaker.allows(at: start + .seconds(59)))
        let probe = start + .seconds(60)
        #expect(breaker.allows(at: probe))
        breaker.began(at: probe)
        #expect(!breaker.allows(at: probe + .seconds(300)))
        breaker.failed(begunAt: probe, at: probe + .seconds(15))
        #expect(!breaker.allows(at: probe + .seconds(59)))
        #expect(breaker.allows(at: probe + .seconds(60)))
        breaker.began(at: probe + .seconds(60))
        breaker.succeeded()
        #expect(!breaker.isOpen)
        #expect(breaker.allows(at: probe + .seconds(60)))
    }

    @Test("A success in between counts failures anew, and a late failure of an older attempt is not the probe's")
    func breakerCounts() {
        var breaker = CircuitBreaker(at: start)
        for _ in 1...19 { breaker.failed(begunAt: start, at: start) }
        breaker.succeeded()
        #expect(!breaker.isOpen)
        for _ in 1...20 { breaker.failed(begunAt: start, at: start) }
        breaker.began(at: start + .seconds(60))
        breaker.failed(begunAt: start, at: start + .seconds(61))
        #expect(!breaker.allows(at: start + .seconds(200)), "the probe is under way")
    }

    @Test("A server that takes over goes on with the failures that the other one saw")
    func breakerTakeOver() {
        var breaker = CircuitBreaker(failures: 19, at: start)
        #expect(!breaker.isOpen)
        breaker.failed(begunAt: start, at: start)
        #expect(breaker.isOpen)
        #expect(CircuitBreaker(failures: 20, at: start).isOpen)
        #expect(CircuitBreaker(failures: 20, at: start).allows(at: start), "a probe may begin at once")
    }

    @Test("A probe that did not take place may be made again at once")
    func breakerGaveUp() {
        var breaker = CircuitBreaker(failures: 20, at: start)
        breaker.began(at: start)
        breaker.gaveUp(begunAt: start, at: start + .seconds(1))
        #expect(breaker.allows(at: start + .seconds(1)))
    }

    @Test("An attempt that says nothing of the receiver opens and closes no breaker, and the next probe has its time")
    func breakerPassed() {
        var breaker = CircuitBreaker(failures: 19, at: start)
        breaker.passed(begunAt: start)
        #expect(!breaker.isOpen)
        breaker.failed(begunAt: start, at: start)
        #expect(breaker.isOpen, "the failures before it still count")
        let probe = start + .seconds(60)
        breaker.began(at: probe)
        breaker.passed(begunAt: probe)
        #expect(breaker.isOpen)
        #expect(!breaker.allows(at: probe + .seconds(59)))
        #expect(breaker.allows(at: probe + .seconds(60)))
    }

    @Test("The rate allows a second's requests at once, and no more in the seconds after")
    func rate() {
        var bucket = TokenBucket(perSecond: 3, at: start)
        func count(at time: ContinuousClock.Instant) -> Int {
            (0..<10).count { _ in bucket.take(at: time) }
        }
        #expect(count(at: start) == 3)
        #expect(count(at: start + .milliseconds(300)) == 0)
        #expect(count(at: start + .milliseconds(700)) == 2)
        #expect(count(at: start + .seconds(100)) == 3)
        bucket.putBack()
        #expect(count(at: start + .seconds(100)) == 1)
        var unlimited = TokenBucket(perSecond: nil, at: start)
        let taken = (0..<1_000).count { _ in unlimited.take(at: start) }
        #expect(taken == 1_000)
    }

    @Test("A burst is smaller than a second's requests if it is said so")
    func burst() {
        var bucket = TokenBucket(perSecond: 1_000, burst: 10, at: start)
        func count(at time: ContinuousClock.Instant) -> Int {
            (0..<1_000).count { _ in bucket.take(at: time) }
        }
        #expect(count(at: start) == 10)
        #expect(count(at: start + .milliseconds(5)) == 5)
        #expect(count(at: start + .seconds(1)) == 10)
        var slow = TokenBucket(perSecond: 50, burst: 0, at: start)
        let taken = (0..<10).count { _ in slow.take(at: start) }
        #expect(taken == 1, "at least one")
    }

    @Test(
        "While counting comes first, all senders begin 250 requests a second; later ever more, and then as many as they like"
    )
    func pace() {
        let pace = SendingPace(at: start)
        func count(_ time: Duration) -> Int {
            (0..<100_000).prefix { _ in pace.take(at: start + time) }.count
        }
        #expect(count(.zero) == 100_000)
        pace.looked(mustRest: true, at: start)
        #expect(count(.zero) == 12, "a twentieth of a second's")
        let second = (1...100).map { count(.milliseconds(10 * $0)) }.reduce(0, +)
        #expect(second == 250)
        pace.looked(mustRest: true, at: start + .seconds(1))
        #expect(count(.seconds(1)) == 0, "the limit is the same")
        var limits: [Int] = []
        for look in 1...20 {
            pace.looked(mustRest: false, at: start + .seconds(1 + look))
            if let limit = pace.perSecond { limits.append(limit) }
        }
        #expect(limits.prefix(3) == [312, 390, 487])
        #expect(limits.last.map { $0 > 10_000 } == true)
        #expect(count(.seconds(30)) == 100_000)
    }

    @Test("The wait is random up to the schedule's delay, and never less than a second or than what was asked for")
    func jitter() {
        var generator = SeededGenerator(seed: 1)
        let schedule = RetrySchedule.standard
        let waits = (0..<1_000).compactMap { _ in schedule.wait(after: 2, atLeast: nil, using: &generator) }
        #expect(waits.count == 1_000)
        #expect(waits.allSatisfy { $0 >= .seconds(1) && $0 <= .seconds(300) })
        #expect(waits.contains { $0 < .seconds(30) } && waits.contains { $0 > .seconds(270) })
        let others = [
            schedule.wait(after: 1, atLeast: .seconds(3_600), using: &generator),
            schedule.wait(after: 10, atLeast: .seconds(1), using: &generator),
        ]
        #expect(others == [.seconds(3_600), nil])
    }

    @Test(
        "Retry-After is read in all forms of RFC 9110, up to a day",
        arguments: [
            ("120", 120), ("0", 0), ("86401", 86_400), ("99999999999999999999", 86_400),
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
            ("Sun Nov  6 08:50:37 1994", 60), ("Sun, 06 Nov 1994 08:49:00 GMT", 0),
            ("Sun, 06 Nov 2094 08:49:00 GMT", 86_400),
        ])
    func retryAfter(text: String, seconds: Int) {
        #expect(RetryAfter.delay(text, at: 784_111_777) == .seconds(seconds))
    }

    @Test("A Retry-After that is neither number nor date counts as none", arguments: ["", "-1", "1.5", "soon", " 5"])
    func noRetryAfter(text: String) {
        #expect(RetryAfter.delay(text, at: 784_111_777) == nil)
    }

    @Test(
        "A Retry-After with a year of many digits is a wait of at most a day, or none",
        arguments: ["9", "99999999", "9999999999999999", "99999999999999999999999999999999"])
    func longRetryAfter(year: String) {
        for text in ["Sun, 06 Nov \(year) 08:49:37 GMT", "Sun Nov  6 08:49:37 \(year)"] {
            let delay = RetryAfter.delay(text, at: 784_111_777) ?? .zero
            #expect((Duration.zero...RetryAfter.maximum).contains(delay), "\(text)")
        }
    }

    @Test("Servers share destinations evenly, and give up what is above their share")
    func shares() throws {
        let names = try ["a", "b", "c", "d"].map { try #require(DestinationName($0)) }
        #expect(LeaseShare(destinations: 4, servers: 1).size == 4)
        #expect(LeaseShare(destinations: 4, servers: 3).size == 2)
        #expect(LeaseShare(destinations: 4, servers: 0).size == 4)
        #expect(LeaseShare(destinations: 4, servers: 3).surplus(of: names) == Array(names[2...]))
        #expect(LeaseShare(destinations: 4, servers: 3).room(beside: 1) == 1)
        #expect(LeaseShare(destinations: 1, servers: 3).room(beside: 2) == 0)
    }
}
