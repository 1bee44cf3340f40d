import Destinations

/// What an outcome means.
extension SenderState {
    /// Takes what an outcome says of the receiver.
    mutating func judge(_ outcome: AttemptOutcome, of attempt: UnderWay, at now: ContinuousClock.Instant) {
        switch outcome {
        // What is answered to a request of an earlier file says nothing of the present one.
        case .delivered where attempt.delivery.isOfEarlierFile:
            breaker.passed(begunAt: attempt.begin)
            problem = nil
            if failingSince != nil { failingSince = now }
        case .failed(let failure) where attempt.delivery.isOfEarlierFile:
            breaker.passed(begunAt: attempt.begin)
            problem = nil
            if isPresentURL(attempt.delivery) { obey(failure, at: now) }
        case .delivered:
            breaker.succeeded()
            failures = 0
            failingSince = nil
            problem = nil
        case .failed(let failure):
            breaker.failed(begunAt: attempt.begin, at: now)
            failures += 1
            problem = nil
            let since = failingSince ?? now
            failingSince = since
            if isPresentURL(attempt.delivery) { obey(failure, at: now) }
            if now - since >= destination.disableAfter {
                switchOff("nothing was delivered for \(FailureWords.text(destination.disableAfter))", at: now)
            }
        case .unsendable, .notBegun:
            breaker.gaveUp(begunAt: attempt.begin, at: now)
        case .blocked(let problem):
            breaker.gaveUp(begunAt: attempt.begin, at: now)
            self.problem = problem
            pauseEnd = max(pauseEnd, now + Self.secretPause)
        }
    }

    /// Does what the receiver asked for: to be sent nothing more, or nothing for a while.
    private mutating func obey(_ failure: AttemptFailure, at now: ContinuousClock.Instant) {
        if failure.status == 410 { switchOff("the receiver answered 410 Gone", at: now) }
        if failure.status == 429 || failure.status == 503, let asked = failure.retryAfter {
            pauseEnd = max(pauseEnd, now + min(asked, Self.longestPause))
        }
    }

    /// Whether an attempt went where the file says now.
    ///
    /// A stored request goes where the receiver was before, and 410 is what is answered there once it has moved.
    private func isPresentURL(_ delivery: Delivery) -> Bool {
        guard case .row(let row) = delivery.content else { return true }
        let text = destination.url.text
        // Up to the first macro or secret a request has what the file has. A brace is written in another way.
        let beginning = text.prefix { $0 != "{" && $0 != "}" }
        return beginning.endIndex == text.endIndex
            ? row.request.url == text : row.request.url.hasPrefix(beginning)
    }

    private mutating func switchOff(_ reason: String, at now: ContinuousClock.Instant) {
        guard offReason == nil else { return }
        offReason = reason
        isOffDue = true
        stop(at: now)
    }

    /// What is to be stored of an outcome; nil if nothing happened.
    func result(
        of outcome: AttemptOutcome, for delivery: Delivery, wallClock: Int64,
        using generator: inout some RandomNumberGenerator
    ) -> DeliveryEnding.Result? {
        switch outcome {
        case .delivered: return .delivered(latency: max(0, wallClock - delivery.receivedAt / 1_000))
        case .failed(let failure):
            guard
                let wait = destination.retry.wait(
                    after: delivery.attempt, atLeast: failure.retryAfter, using: &generator)
            else { return .dead(failure) }
            return .waiting(wait, failure)
        case .unsendable(let reason): return .dead(AttemptFailure(reason: reason))
        case .notBegun, .blocked: return nil
        }
    }

    /// An attempt did not take place.
    mutating func putBack(_ attempt: UnderWay) {
        switch attempt.source {
        case .window(let feed, let place):
            if windows[feed]?.holds(place) ?? false {
                windows[feed]?.putBack(place)
            } else {
                // It was handed over, so it has a row.
                retries.letGo(attempt.delivery.eventID)
            }
        case .row(let row): retries.putBack(row)
        }
        commit.forget()
    }
}
