import Destinations
import EventLog

/// What a sender reads from the database and stores in it.
extension DestinationSender {
    /// Events of the log.
    func page(of reading: SenderState.Reading) async throws -> ForwardedPage {
        try await store.forwardedEvents(
            after: reading.cursor, upTo: reading.end, limit: ReadingState.pageSize, for: stored.destination.filter)
    }

    /// Stores what was done, in one transaction.
    func commit(_ settlement: SenderState.Settlement) async throws {
        try await store.commitDeliveries(lease, progress(of: settlement))
    }

    private func progress(of settlement: SenderState.Settlement) -> DeliveryProgress {
        var progress = DeliveryProgress()
        switch settlement.feed {
        case .live: progress.move = settlement.move
        case .replay: progress.replay = settlement.move
        }
        for ending in settlement.endings { add(ending, of: settlement.feed, to: &progress) }
        progress.failures = settlement.failures
        progress.isBreakerOpen = settlement.status.isBreakerOpen
        progress.problem = settlement.status.problem
        progress.offReason = settlement.offReason
        return progress
    }

    private func add(_ ending: DeliveryEnding, of feed: SenderState.Feed, to progress: inout DeliveryProgress) {
        let delivery = ending.delivery
        // The log names all its events by their place.
        guard let key = DeliveryKey(delivery.eventID) else { return }
        switch ending.result {
        case .delivered(let latency):
            progress.statistics.deliver(
                latency: latency, isRetry: delivery.isRetry, isReplay: delivery.isReplay)
            // An event that is replayed may have a row of its first time.
            if ending.hasRow || feed == .replay { progress.deliver(key) }
        case .waiting(let wait, let failure):
            progress.statistics.failed += 1
            progress.fail(row(of: delivery, key, wait: wait, failure))
        case .dead(let failure):
            let row = row(of: delivery, key, wait: nil, failure)
            if row.isSendable { progress.statistics.failed += 1 }
            progress.statistics.dead += 1
            progress.fail(row)
        case .handedOver(let wait):
            progress.fail(row(of: delivery, key, wait: wait, nil))
        }
    }

    /// - Parameter failure: Nil while the attempt is under way.
    private func row(
        of delivery: Delivery, _ key: DeliveryKey, wait: Duration?, _ failure: AttemptFailure?
    ) -> FailedDelivery {
        let request: PreparedRequest
        let isSendable: Bool
        do throws(UnsendableEvent) {
            request = try delivery.request(of: stored.destination)
            isSendable = true
        } catch {
            let destination = stored.destination
            request = PreparedRequest(
                method: destination.method, url: destination.url.text, headers: [], body: nil,
                webhookID: "pb_" + delivery.eventID, signing: [])
            isSendable = false
        }
        return FailedDelivery(
            key: key, transactionID: delivery.transaction, kind: delivery.kind, receivedAt: delivery.receivedAt,
            attempt: delivery.attempt, wait: wait, status: failure?.status, error: failure?.reason,
            answer: failure?.answer ?? [], request: request, isSendable: isSendable,
            isReplay: delivery.isReplay)
    }
}
