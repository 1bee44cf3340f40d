import Destinations
import EventLog

/// What a sender reads and stores.
extension SenderState {
    /// How long a request may hold the cursor back.
    static let patience = Duration.seconds(2)
    /// The same while nothing may begin because of it.
    static let patienceIfFull = Duration.milliseconds(200)
    /// The same while the sender stops, and how long it waits for its requests then.
    static let patienceAtStop = Duration.seconds(1)
    /// From so many events on that arrived since the log was read, they are spread over the time until it is read next.
    static let spreadEvents = 20
    /// How long after the timeout of a request that has a row it is tried again if nobody knows how it ended.
    static let graceAfterTimeout = Duration.seconds(5)

    /// What others are shown of a sender.
    struct Status: Sendable, Equatable {
        /// Whether only probes are sent.
        let isBreakerOpen: Bool
        /// Why nothing is sent; nil if something is.
        let problem: String?
    }

    /// What one transaction stores.
    struct Settlement: Sendable {
        let feed: Feed
        /// From where to where the cursor of the feed moves; nil if it does not.
        let move: DeliveryProgress.Move?
        let endings: [DeliveryEnding]
        /// Failed attempts in a row, up to now.
        let failures: Int
        let status: Status
        /// Why the destination is switched off with it.
        let offReason: String?
    }

    /// What is to be read of the log.
    struct Reading: Sendable {
        let feed: Feed
        /// The place behind which it begins.
        let cursor: LogCursor
        /// Where it ends; nil for the end of the log.
        let end: LogCursor?
    }

    /// What is to be read now; then it counts as begun.
    mutating func beginReading(_ feed: Feed, at now: ContinuousClock.Instant) -> Reading? {
        guard stopped == nil, let window = windows[feed], feed == .live || replayEnd != nil else { return nil }
        // While the breaker is open, one event is enough for the next probe.
        guard window.waiting < (breaker.isOpen ? 1 : ReadingState.pageSize),
            reading[feed]?.begins(at: now) ?? false
        else { return nil }
        return Reading(feed: feed, cursor: window.end, end: feed == .live ? nil : replayEnd)
    }

    /// The readers were looked up: a replay may have begun.
    mutating func seen(_ cursors: ForwardingCursors, at now: ContinuousClock.Instant) {
        guard windows[.replay] == nil, let replay = cursors.replay else { return }
        windows[.replay] = Window(from: replay.cursor, number: replayNumber)
        reading[.replay] = ReadingState(at: now)
        replayEnd = replay.end
    }

    /// A page of the log was read.
    mutating func read(_ page: ForwardedPage, of feed: Feed, at now: ContinuousClock.Instant) {
        reading[feed]?.ended(isEmpty: page.events.isEmpty, isAtEnd: page.isAtEnd, at: now)
        // The window is taken out, so that it is not copied.
        guard var window = windows.removeValue(forKey: feed) else { return }
        for (event, cursor) in page.events {
            if destination.filter.matches(event) {
                let delivery = Delivery(content: .event(event), isReplay: feed == .replay)
                window.add(delivery, of: event.transactionID, upTo: cursor)
            } else {
                window.skip(to: cursor)
            }
        }
        window.skip(to: page.next)
        if feed == .live {
            // Many at once would take the processors from counting, and again at each look at the log.
            let isSpread = page.isAtEnd && window.waiting >= Self.spreadEvents
            // A bit faster than they came, so that none are left when the log is read next.
            let perSecond = Int(Double(window.waiting) / (ReadingState.pauses.first * 0.75 / .seconds(1)))
            spreading = TokenBucket(
                perSecond: isSpread ? perSecond : nil, burst: isSpread ? perSecond / 40 : nil, at: now)
        }
        windows[feed] = window
        if feed == .replay, page.isAtEnd { replayEnd = nil }
    }

    /// What is to be committed now; then the commit counts as begun.
    ///
    /// Nil if nothing is, or not yet.
    mutating func beginCommit(at now: ContinuousClock.Instant) -> Settlement? {
        let finished = windows.values.reduce(rowEndings.count) { $0 + $1.finished }
        guard commit.isDue(stopped == nil ? finished : .max, at: now) else { return nil }
        let patience = self.patience
        // In turns, since both may always have something.
        for feed in commit.lastFeed == .live ? [Feed.replay, .live] : [.live, .replay] {
            let released = windows[feed]?.release(at: now, patience: patience)
            let isDue = !rowEndings.isEmpty || isOffDue || status != storedStatus
            guard released != nil || feed == .live && isDue else { continue }
            let ofEvents = released?.endings ?? []
            let begun = ofEvents.count + rowEndings.count
            for (_, delivery) in released?.handedOver ?? [] { retries.handOver(delivery.eventID) }
            let handedOver = (released?.handedOver ?? []).map {
                DeliveryEnding(
                    delivery: $0.item, hasRow: false,
                    result: .handedOver(destination.limits.timeout + Self.graceAfterTimeout))
            }
            let settlement = Settlement(
                feed: feed, move: released.map { DeliveryProgress.Move(from: $0.from, to: $0.to) },
                endings: ofEvents + handedOver + rowEndings, failures: failures, status: status,
                offReason: offReason)
            rowEndings = []
            commit.begin(begun, of: feed)
            return settlement
        }
        return nil
    }

    /// What was to be committed is committed.
    mutating func committed(_ settlement: Settlement, at now: ContinuousClock.Instant) {
        commit.end(at: now)
        if settlement.offReason != nil { isOffDue = false }
        storedStatus = settlement.status
        if replayEnd == nil, let replay = windows[.replay], replay.isEmpty {
            replayNumber = replay.nextNumber
            windows[.replay] = nil
        }
        retries.committed(settlement.endings.lazy.filter(\.hasRow).map(\.delivery.eventID), at: now)
    }

    /// Whether new events wait for their time.
    var isSpreading: Bool { spreading.isLimited }

    private var status: Status { Status(isBreakerOpen: breaker.isOpen, problem: problem) }

    private var patience: Duration {
        if stopped != nil { return Self.patienceAtStop }
        return commit.isFull ? Self.patienceIfFull : Self.patience
    }
}
