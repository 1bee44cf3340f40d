import Destinations
import EventLog
import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import Forwarding

@Suite("What a sender does next")
struct SenderStateTests {
    /// A sender in virtual time.
    private struct Sender {
        var state: SenderState
        var now: ContinuousClock.Instant
        var generator = SeededGenerator(seed: 1)
        /// The number of the next event.
        var next = 1

        /// A sender whose lease was taken now.
        init(
            _ members: String..., url: String = "http://receiver.example/", failures: Int = 0,
            failingTime: Duration? = nil
        ) throws {
            let destination = try TestDestination.at(url, members.first ?? "", members.dropFirst().first ?? "")
            now = .now
            state = SenderState(
                destination: destination, cursors: ForwardingCursors(live: Sender.cursor(0), replay: nil),
                failures: failures, failingTime: failingTime, leaseSent: now, at: now)
        }

        static func cursor(_ number: Int) -> LogCursor {
            LogCursor.beginning(of: PostgresDate(daysSince2000: 9_000 + Int32(number)), in: [0])
        }

        /// More events of the log.
        mutating func read(
            _ count: Int, transaction: UUID? = nil, environment: String = "production",
            of feed: SenderState.Feed = .live, isAtEnd: Bool = false
        ) {
            let numbers = next..<(next + count)
            next += count
            let events = numbers.map { number in
                (
                    event: TestDestination.event(
                        number, transaction: transaction ?? UUID(), environment: environment),
                    cursor: Sender.cursor(number)
                )
            }
            state.read(
                ForwardedPage(events: events, next: Sender.cursor(next - 1), isAtEnd: isAtEnd), of: feed, at: now)
        }

        /// Rows that are due are read.
        mutating func due(_ rows: [WaitingDelivery], after wait: Duration = .zero) throws {
            now += wait
            state.renewed(sent: now)
            let isReading = state.retries.beginsReading(at: now)
            try #require(isReading)
            state.retries.read(rows, at: now)
        }

        /// Begins all that may begin.
        mutating func begin() -> [SenderState.Begun] {
            var all: [SenderState.Begun] = []
            while let begun = state.begin(at: now) { all.append(begun) }
            return all
        }

        /// An attempt ends.
        @discardableResult
        mutating func end(_ begun: SenderState.Begun, _ outcome: AttemptOutcome) -> DeliveryEnding? {
            state.ended(begun.number, outcome, at: now, wallClock: 1_790_000_000_000 + 70, using: &generator)
        }

        /// A commit that succeeds.
        mutating func commit(after wait: Duration = .milliseconds(200)) -> SenderState.Settlement? {
            now += wait
            let settlement = state.beginCommit(at: now)
            if let settlement { state.committed(settlement, at: now) }
            return settlement
        }

        /// The same, where something must be committed.
        mutating func committed(after wait: Duration = .milliseconds(200)) throws -> SenderState.Settlement {
            let settlement = commit(after: wait)
            return try #require(settlement)
        }

        /// The same for an attempt that must have begun.
        mutating func ended(_ begun: SenderState.Begun, _ outcome: AttemptOutcome) throws -> DeliveryEnding {
            let ending = end(begun, outcome)
            return try #require(ending)
        }
    }

    private let failure = AttemptOutcome.failed(AttemptFailure(status: 500, reason: "status 500"))

    @Test("Events begin in the order of the log, as many as the destination allows, and the cursor moves over them")
    func happyPath() throws {
        var sender = try Sender(#""limits": {"in-flight": 3}"#)
        sender.read(5)
        var begun = sender.begin()
        #expect(begun.map(\.delivery.eventID) == ["0-1-1", "0-2-1", "0-3-1"])
        let ending = try sender.ended(begun[0], .delivered)
        #expect(ending.result == .delivered(latency: 70))
        begun += sender.begin()
        #expect(begun.map(\.delivery.eventID).last == "0-4-1")
        for attempt in begun.dropFirst() { sender.end(attempt, .delivered) }
        begun = sender.begin()
        let settlement = try sender.committed()
        #expect(settlement.move?.to == Sender.cursor(4))
        #expect(settlement.endings.count == 4)
        sender.end(begun[0], .delivered)
        let last = try sender.committed()
        #expect(last.move?.to == Sender.cursor(5))
        #expect(sender.state.inFlight == 0)
    }

    @Test("What arrived since the log was read is spread over the time until it is read next; a backlog is not")
    func spread() throws {
        var sender = try Sender(#""limits": {"in-flight": 256}"#)
        sender.read(240, isAtEnd: true)
        var begun = [sender.begin().count]
        for _ in 1...4 {
            sender.now += .milliseconds(10)
            begun.append(sender.begin().count)
        }
        #expect(begun == [40, 16, 16, 16, 16], "1,600 a second, a fortieth of them at once")
        sender.now += .seconds(1)
        #expect(sender.begin().count == 40)
        sender.read(200)
        #expect(sender.begin().count == 256 - 144, "more is there: as many as may be under way")
    }

    @Test("A few new events are sent at once")
    func fewEvents() throws {
        var sender = try Sender()
        sender.read(19, isAtEnd: true)
        #expect(sender.begin().count == 19)
    }

    @Test("250 endings are committed at once, fewer after 200 ms, and one commit is under way at a time")
    func commits() throws {
        var sender = try Sender(#""limits": {"in-flight": 256}"#)
        #expect(sender.commit() != nil, "how the sender is")
        sender.read(256)
        let begun = sender.begin()
        for attempt in begun.prefix(249) { sender.end(attempt, .delivered) }
        #expect(sender.state.beginCommit(at: sender.now) == nil)
        sender.end(begun[249], .delivered)
        let first = sender.state.beginCommit(at: sender.now)
        let settlement = try #require(first)
        #expect(settlement.endings.count == 250)
        for attempt in begun.dropFirst(250) { sender.end(attempt, .delivered) }
        #expect(sender.state.beginCommit(at: sender.now + .seconds(60)) == nil)
        sender.state.committed(settlement, at: sender.now)
        #expect(sender.state.beginCommit(at: sender.now + .milliseconds(200))?.endings.count == 6)
    }

    @Test("At most 500 events are sent or under way that the database does not know of")
    func exposure() throws {
        var sender = try Sender(#""limits": {"in-flight": 256}"#)
        _ = sender.commit()
        sender.read(1_000)
        var sent = 0
        while true {
            let begun = sender.begin()
            guard !begun.isEmpty else { break }
            sent += begun.count
            for attempt in begun { sender.end(attempt, .delivered) }
        }
        #expect(sent == 500)
        #expect(sender.commit() != nil)
        #expect(sender.begin().count == 256)
    }

    @Test("No attempt begins eight seconds after the last renewal was sent")
    func lease() throws {
        var sender = try Sender(#""limits": {"in-flight": 1}"#)
        sender.read(3)
        sender.now += .milliseconds(7_999)
        let begun = sender.begin()
        #expect(begun.count == 1)
        sender.end(begun[0], .delivered)
        sender.now += .milliseconds(1)
        #expect(sender.begin().isEmpty)
        sender.state.renewed(sent: sender.now)
        #expect(sender.begin().count == 1)
    }

    @Test("Two events of one transaction are sent one after the other")
    func order() throws {
        var sender = try Sender()
        let transaction = UUID()
        sender.read(2, transaction: transaction)
        sender.read(1)
        let begun = sender.begin()
        #expect(begun.map(\.delivery.eventID) == ["0-1-1", "0-3-1"])
        sender.end(begun[0], failure)
        #expect(sender.begin().map(\.delivery.eventID) == ["0-2-1"])
    }

    @Test("The cursor passes events that the destination does not get, without a request")
    func filter() throws {
        var sender = try Sender()
        sender.read(10, environment: "test")
        #expect(sender.begin().isEmpty)
        let settlement = try sender.committed()
        #expect(settlement.move?.to == Sender.cursor(10))
        #expect(settlement.endings.isEmpty)
    }

    @Test("A failure is stored with the time of the next attempt; the last one makes a dead letter")
    func failures() throws {
        var sender = try Sender(#""retry": ["5s"]"#)
        sender.read(1)
        let ending = try sender.ended(sender.begin()[0], failure)
        guard case .waiting(let wait, let known) = ending.result else {
            Issue.record("\(ending.result)")
            return
        }
        #expect(wait >= .seconds(1) && wait <= .seconds(5))
        #expect(known.status == 500)
        #expect(!ending.hasRow)
        sender.read(1)
        let unsendable = try sender.ended(sender.begin()[0], .unsendable(reason: "no body"))
        #expect(unsendable.result == .dead(AttemptFailure(reason: "no body")))
        let settlement = try sender.committed()
        #expect(settlement.failures == 1, "what can't become a request says nothing of the receiver")
        #expect(settlement.endings.count == 2)
    }

    @Test("A request that takes two seconds gets a row, and its end changes the row; the next of its transaction waits")
    func straggler() throws {
        var sender = try Sender(#""limits": {"timeout-seconds": 15}"#)
        let transaction = UUID()
        sender.read(2, transaction: transaction)
        let begun = sender.begin()
        #expect(begun.count == 1)
        _ = sender.commit()
        let settlement = try sender.committed(after: .seconds(2))
        #expect(settlement.endings.map(\.result) == [.handedOver(.seconds(20))])
        #expect(settlement.endings.map(\.hasRow) == [false])
        #expect(settlement.move?.to == Sender.cursor(1))
        #expect(sender.begin().isEmpty)
        let ending = try sender.ended(begun[0], .delivered)
        #expect(ending.hasRow)
        #expect(sender.begin().map(\.delivery.eventID) == ["0-2-1"])
        let next = try sender.committed()
        #expect(next.move == nil)
        #expect(next.endings.map(\.delivery.eventID) == ["0-1-1"])
    }

    @Test("A row that falls due while its first attempt is under way is not sent again when that has ended")
    func dueUnderWay() throws {
        var sender = try Sender()
        sender.read(1)
        let begun = sender.begin()
        _ = try sender.committed(after: .seconds(2))
        try sender.due([TestDestination.waiting(1)], after: .seconds(90))
        #expect(sender.begin().isEmpty)
        sender.end(begun[0], .delivered)
        #expect(sender.begin().isEmpty, "its end is not stored yet")
        let settlement = try sender.committed()
        #expect(settlement.endings.map(\.delivery.eventID) == ["0-1-1"])
        #expect(sender.begin().isEmpty)
    }

    @Test("A row is sent when it is due if the attempt that was under way did not take place")
    func dueAfterNothing() throws {
        var sender = try Sender()
        sender.read(1)
        let begun = sender.begin()
        _ = try sender.committed(after: .seconds(2))
        #expect(sender.end(begun[0], .notBegun) == nil)
        try sender.due([TestDestination.waiting(1)], after: .seconds(90))
        #expect(sender.begin().map(\.delivery.attempt) == [2])
    }

    @Test("A row that was read before its end was stored, and comes after that, is not sent again")
    func readBeforeCommit() throws {
        var sender = try Sender()
        let row = try TestDestination.waiting(1)
        try sender.due([row])
        let begun = sender.begin()
        #expect(begun.map(\.delivery.eventID) == ["0-1-1"])
        sender.now += .seconds(1)
        let isReading = sender.state.retries.beginsReading(at: sender.now)
        #expect(isReading)
        sender.end(begun[0], .delivered)
        _ = try sender.committed()
        sender.state.retries.read([row], at: sender.now)
        #expect(sender.begin().isEmpty)
        try sender.due([row], after: .seconds(1))
        #expect(sender.begin().count == 1, "a reading that began later is right")
    }

    @Test("410 switches the destination off, and what was sent is stored with it")
    func gone() throws {
        var sender = try Sender()
        sender.read(2)
        let begun = sender.begin()
        sender.end(begun[0], .failed(AttemptFailure(status: 410, reason: "status 410")))
        #expect(sender.state.stopped != nil)
        sender.read(1)
        #expect(sender.begin().isEmpty)
        #expect(!sender.state.isOver(at: sender.now))
        sender.end(begun[1], .delivered)
        let settlement = try sender.committed(after: .zero)
        #expect(settlement.offReason == "the receiver answered 410 Gone")
        #expect(settlement.endings.count == 2)
        #expect(sender.state.isOver(at: sender.now))
    }

    @Test(
        "410 for a stored request switches the destination off only if its URL is still that of the file",
        arguments: [
            ("http://receiver.example/new", "http://receiver.example/new", true),
            ("http://receiver.example/new", "http://receiver.example/new-one", false),
            ("http://receiver.example/new", "http://old.example/new", false),
            ("http://receiver.example/a?id={transaction-id}", "http://receiver.example/a?id=1", true),
            ("http://receiver.example/a?id={transaction-id}", "http://receiver.example/b?id=1", false),
        ])
    func goneBefore(url: String, stored: String, isOff: Bool) throws {
        var sender = try Sender(url: url)
        try sender.due([TestDestination.waiting(1, url: stored)])
        let ending = try sender.ended(
            sender.begin()[0], .failed(AttemptFailure(status: 410, reason: "status 410")))
        #expect((sender.state.offReason != nil) == isOff)
        guard case .waiting = ending.result else {
            Issue.record("\(ending.result)")
            return
        }
    }

    @Test("It is switched off when nothing was delivered for as long as its file says, by the failure after that")
    func disabled() throws {
        var sender = try Sender(#""disable-after": "2d""#, failures: 3, failingTime: .seconds(2 * 86_400 - 60))
        sender.read(2)
        let begun = sender.begin()
        sender.end(begun[0], failure)
        #expect(sender.state.offReason == nil)
        sender.now += .seconds(60)
        sender.end(begun[1], failure)
        #expect(sender.state.offReason == "nothing was delivered for 2 days")
    }

    @Test("A success in between begins the time anew")
    func notDisabled() throws {
        var sender = try Sender(#""disable-after": "1d""#, failures: 3, failingTime: .seconds(90_000))
        sender.read(2)
        let begun = sender.begin()
        sender.end(begun[0], .delivered)
        sender.end(begun[1], failure)
        #expect(sender.state.offReason == nil)
        #expect(sender.state.failures == 1)
    }

    @Test("Retry-After of 429 and 503 pauses everything, for at most a minute", arguments: [429, 503])
    func pause(status: Int) throws {
        var sender = try Sender(#""limits": {"in-flight": 1}"#)
        sender.read(2)
        let ending = sender.end(
            sender.begin()[0],
            .failed(AttemptFailure(status: status, reason: "", retryAfter: .seconds(3_600))))
        guard case .waiting(let wait, _) = try #require(ending).result else {
            Issue.record("no retry")
            return
        }
        #expect(wait >= .seconds(3_600))
        sender.now += .seconds(59)
        sender.state.renewed(sent: sender.now)
        #expect(sender.begin().isEmpty)
        sender.now += .seconds(1)
        #expect(sender.begin().count == 1)
    }

    @Test("After 20 failures in a row one event a minute is sent, until one is delivered; others are shown that")
    func breaker() throws {
        var sender = try Sender(#""limits": {"in-flight": 20}"#)
        sender.read(60)
        for attempt in sender.begin() { sender.end(attempt, failure) }
        #expect(sender.begin().isEmpty)
        var settlement = try sender.committed()
        #expect(settlement.status.isBreakerOpen)
        sender.now += .seconds(60)
        sender.state.renewed(sent: sender.now)
        let probe = sender.begin()
        #expect(probe.map(\.delivery.eventID) == ["0-21-1"])
        sender.end(probe[0], .delivered)
        #expect(sender.begin().count == 20)
        settlement = try sender.committed()
        #expect(settlement.status == SenderState.Status(isBreakerOpen: false, problem: nil))
    }

    @Test("A probe is a new event if there is one, else a request of the present file, at last one of an earlier file")
    func probes() throws {
        var sender = try Sender(failures: 20)
        try sender.due([TestDestination.waiting(8, isOfEarlierFile: true), TestDestination.waiting(9)])
        sender.read(1)
        var probed: [String] = []
        for _ in 1...3 {
            let begun = sender.begin()
            #expect(begun.count == 1)
            probed += begun.map(\.delivery.eventID)
            for attempt in begun { sender.end(attempt, failure) }
            #expect(sender.begin().isEmpty)
            sender.now += .seconds(60)
            sender.state.renewed(sent: sender.now)
        }
        #expect(probed == ["0-1-1", "0-9-1", "0-8-1"])
        #expect(sender.state.breaker.isOpen)
    }

    @Test("What becomes of requests of an earlier file opens no breaker and closes none, and is no failure in a row")
    func earlierFile() throws {
        var sender = try Sender(#""limits": {"in-flight": 256}"#)
        try sender.due((101...130).map { try TestDestination.waiting($0, isOfEarlierFile: true) })
        let rows = sender.begin()
        #expect(rows.count == 30)
        for attempt in rows { sender.end(attempt, failure) }
        #expect(!sender.state.breaker.isOpen && sender.state.failures == 0 && sender.state.failingSince == nil)
        sender.read(20)
        for attempt in sender.begin() { sender.end(attempt, failure) }
        #expect(sender.state.breaker.isOpen && sender.state.failures == 20)
        _ = try sender.committed()
        try sender.due([TestDestination.waiting(200, isOfEarlierFile: true)], after: .seconds(60))
        let probe = sender.begin()
        #expect(probe.map(\.delivery.eventID) == ["0-200-1"])
        for attempt in probe { sender.end(attempt, .delivered) }
        #expect(sender.state.breaker.isOpen && sender.state.failures == 20)
        sender.read(1)
        #expect(sender.begin().isEmpty, "the next probe has its time")
        sender.now += .seconds(60)
        sender.state.renewed(sent: sender.now)
        for attempt in sender.begin() { sender.end(attempt, .delivered) }
        #expect(!sender.state.breaker.isOpen && sender.state.failures == 0)
    }

    @Test("Behind each request of an earlier file it is an event's turn, even if one request is under way at a time")
    func turns() throws {
        var sender = try Sender(#""limits": {"in-flight": 1}"#)
        try sender.due((7...9).map { try TestDestination.waiting($0, isOfEarlierFile: true) })
        sender.read(2)
        var order: [String] = []
        for _ in 1...5 {
            let begun = sender.begin()
            order += begun.map(\.delivery.eventID)
            for attempt in begun { sender.end(attempt, failure) }
        }
        #expect(order == ["0-7-1", "0-1-1", "0-8-1", "0-2-1", "0-9-1"])
    }

    @Test("Retry-After of a URL that the file does not have any more holds nothing back")
    func pauseBefore() throws {
        var sender = try Sender(#""limits": {"in-flight": 1}"#, url: "http://receiver.example/new")
        try sender.due([TestDestination.waiting(7, url: "http://old.example/", isOfEarlierFile: true)])
        sender.read(1)
        let begun = sender.begin()
        let asked = AttemptFailure(status: 503, reason: "status 503", retryAfter: .seconds(60))
        for attempt in begun { sender.end(attempt, .failed(asked)) }
        #expect(sender.begin().map(\.delivery.eventID) == ["0-1-1"])
    }

    @Test("If a secret is missing nothing is sent or lost, and others are shown why")
    func missingSecret() throws {
        var sender = try Sender()
        sender.read(2)
        let begun = sender.begin()
        #expect(sender.end(begun[0], .blocked(problem: "secret token is missing")) == nil)
        #expect(sender.end(begun[1], .blocked(problem: "secret token is missing")) == nil)
        let settlement = try sender.committed()
        #expect(settlement.status.problem == "secret token is missing")
        #expect(settlement.move == nil)
        #expect(sender.begin().isEmpty)
        sender.now += .seconds(5)
        let again = sender.begin()
        #expect(again.map(\.delivery.eventID) == ["0-1-1", "0-2-1"])
        sender.end(again[0], .delivered)
        let healed = try sender.committed()
        #expect(healed.status.problem == nil)
    }

    @Test("A sender that is told to stop begins nothing more, and waits a second for what is under way")
    func stop() throws {
        var sender = try Sender(#""limits": {"in-flight": 2}"#)
        sender.read(3)
        let begun = sender.begin()
        sender.end(begun[0], .delivered)
        sender.state.stop(at: sender.now)
        #expect(sender.begin().isEmpty)
        let first = try sender.committed()
        #expect(first.move?.to == Sender.cursor(1))
        #expect(!sender.state.isOver(at: sender.now))
        let settlement = try sender.committed(after: .seconds(1))
        #expect(settlement.endings.map(\.result) == [.handedOver(.seconds(20))])
        #expect(settlement.move?.to == Sender.cursor(2))
        #expect(sender.state.isOver(at: sender.now))
    }

    @Test("A replay is sent while the destination has no new events, moves its own reader, and ends")
    func replay() throws {
        var sender = try Sender(#""limits": {"in-flight": 4}"#)
        sender.state.seen(
            ForwardingCursors(live: Sender.cursor(0), replay: (Sender.cursor(0), Sender.cursor(3))), at: sender.now)
        let reading = sender.state.beginReading(.replay, at: sender.now)
        #expect(reading?.end == Sender.cursor(3))
        sender.read(3, of: .replay)
        sender.read(3)
        var begun = sender.begin()
        #expect(begun.map(\.delivery.eventID) == ["0-4-1", "0-5-1", "0-6-1", "0-1-1"])
        #expect(begun.map(\.delivery.isReplay) == [false, false, false, true])
        for attempt in begun { sender.end(attempt, .delivered) }
        begun = sender.begin()
        #expect(begun.map(\.delivery.eventID) == ["0-2-1", "0-3-1"], "half of the requests")
        for attempt in begun { sender.end(attempt, .delivered) }
        sender.state.read(
            ForwardedPage(events: [], next: Sender.cursor(3), isAtEnd: true), of: .replay, at: sender.now)
        let settlements = [sender.commit(), sender.commit()].compactMap { $0 }
        #expect(Set(settlements.map(\.feed)) == [.live, .replay])
        #expect(settlements.first { $0.feed == .replay }?.move?.to == Sender.cursor(3))
        #expect(sender.state.windows[.replay] == nil)
        #expect(sender.state.beginReading(.replay, at: sender.now) == nil)
    }
}
