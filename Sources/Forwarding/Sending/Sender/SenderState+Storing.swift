import EventLog

/// What a sender reads and stores.
extension SenderState {
    /// How long a request may hold the cursor back.
    static let patience = Duration.seconds(2)
    /// The same while nothing may begin because of it.
    static let patienceIfFull = Duration.milliseconds(200)
    /// The same while the sender stops, and how long it waits for its requests then.
    static let patienceAtStop = Duration.seconds(1)
    /// How long after the timeout of a request that has a row it is tried again if nobody knows how it ended.
    static let graceAfterTimeout = Duration.seconds(5)

    /// What one transaction stores.
    struct Settlement: Sendable {
        let feed: Feed
        /// From where to where the cursor of the feed moves; nil if it does not.
        let move: (from: LogCursor, to: LogCursor)?
        let endings: [DeliveryEnding]
        /// Failed attempts in a row, up to now.
        let failures: Int
        let isBreakerOpen: Bool
        /// Why nothing is sent.
        let problem: String?
        /// Why the destination is switched off with it.
        let offReason: String?
    }

    /// The place after which a reader is to be read now; then reading counts as begun.
    mutating func beginReading(_ feed: Feed, at now: ContinuousClock.Instant) -> LogCursor? {
        guard stopped == nil, let window = windows[feed] else { return nil }
        // While the breaker is open, one event is enough for the next probe.
        guard window.waiting < (breaker.isOpen ? 1 : ReadingState.pageSize),
            reading[feed]?.begins(at: now) ?? false
        else { return nil }
        return window.end
    }

    /// A page of the log was read.
    mutating func read(_ page: ForwardedPage, of feed: Feed, at now: ContinuousClock.Instant) {
        reading[feed]?.ended(isEmpty: page.events.isEmpty, isAtEnd: page.isAtEnd, at: now)
        // The window is taken out, so that it is not copied.
        guard var window = windows.removeValue(forKey: feed) else { return }
        for (event, cursor) in page.events {
            if destination.filter.matches(event) {
                window.add(Delivery(content: .event(event)), of: event.transactionID, upTo: cursor)
            } else {
                window.skip(to: cursor)
            }
        }
        window.skip(to: page.next)
        windows[feed] = window
    }

    /// What is to be committed now; then the commit counts as begun. Nil if nothing is, or not yet.
    mutating func beginCommit(at now: ContinuousClock.Instant) -> Settlement? {
        let finished = windows.values.reduce(rowEndings.count) { $0 + $1.finished }
        guard commit.isDue(stopped == nil ? finished : .max, at: now) else { return nil }
        // In turns, since both may always have something.
        for feed in commit.lastFeed == .live ? [Feed.replay, .live] : [.live, .replay] {
            let released = windows[feed]?.release(at: now, patience: patience)
            guard released != nil || feed == .live && (!rowEndings.isEmpty || isOffDue) else { continue }
            let isRowless = released?.endings ?? []
            let begun = isRowless.count + rowEndings.count
            let handedOver = (released?.handedOver ?? []).map {
                DeliveryEnding(
                    delivery: $0.item, hasRow: false,
                    result: .handedOver(destination.limits.timeout + Self.graceAfterTimeout))
            }
            let settlement = Settlement(
                feed: feed, move: released.map { ($0.from, $0.to) },
                endings: isRowless + handedOver + rowEndings, failures: failures, isBreakerOpen: breaker.isOpen,
                problem: problem, offReason: offReason)
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
        retries.committed(settlement.endings.lazy.filter(\.hasRow).map(\.delivery.eventID), at: now)
    }

    private var patience: Duration {
        if stopped != nil { return Self.patienceAtStop }
        return commit.isFull ? Self.patienceIfFull : Self.patience
    }
}
