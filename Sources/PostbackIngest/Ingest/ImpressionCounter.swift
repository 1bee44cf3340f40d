import AdAttribution
import BackgroundWork
package import Logging
import Observability
package import PostbackStore
import PostgresClient
import ServiceLifecycle
import Synchronization

/// Counts signed impressions, and adds the counts to the database every second.
///
/// Signing does not wait for this.
///
/// If a flush fails, its counts are added with the next one. If its commit was cut off, the database is first asked for
/// the outcome, because the counts must not be added twice. A `kill -9` loses at most what was not flushed yet.
package final class ImpressionCounter: Service {
    private struct State {
        var counts: [ImpressionKey: Int64] = [:]
        /// The counts that are being added, and the transaction whose outcome is unknown, if there is one.
        var flushing: [ImpressionKey: Int64] = [:]
        var undecided: String?
        var dropped: Int64 = 0
    }

    private let state = Mutex(State())
    private let store: PostbackStore
    private let interval: Duration
    private let maximumKeys: Int
    private let logger: Logger
    private let cutOff = RepeatedLine(.warning, "impression counts: commit was cut off, asking about it later")
    private let notFlushed = RepeatedLine(.warning, "impression counts wait for the database")

    /// Makes a counter that flushes at an interval.
    ///
    /// While it can't flush, it holds at most `maximumKeys` different rows.
    package init(store: PostbackStore, interval: Duration = .seconds(1), maximumKeys: Int = 100_000, logger: Logger) {
        self.store = store
        self.interval = interval
        self.maximumKeys = maximumKeys
        self.logger = logger
    }

    /// Counts one signed impression, without waiting for the database.
    package func count(_ key: ImpressionKey) {
        state.withLock { state in
            let rows = state.counts.count + state.flushing.count
            guard rows < maximumKeys || state.counts[key] != nil else {
                state.dropped += 1
                return
            }
            state.counts[key, default: 0] += 1
        }
    }

    func run() async throws {
        await Repetition.run(every: interval, isAtOnce: false) { await self.flush() }
    }

    /// Adds the last counts, when nobody signs any more; tries again until the task is cancelled.
    package func finish() async {
        while !Task.isCancelled {
            await flush()
            guard pending > 0 else { return }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// How many impressions were signed and are not counted yet, as far as it is known.
    package var pending: Int64 {
        state.withLock { $0.counts.values.reduce(0, +) + $0.flushing.values.reduce(0, +) }
    }

    /// Adds what has been counted since the last flush.
    func flush() async {
        do {
            guard try await resolveUndecided() else { return }
            let counts = state.withLock { state in
                for (key, count) in state.counts { state.flushing[key, default: 0] += count }
                state.counts = [:]
                return state.flushing
            }
            guard !counts.isEmpty else { return }
            try await store.add(counts)
            state.withLock { $0.flushing = [:] }
            reportDropped()
        } catch ImpressionFlushError.outcomeUnknown(let transaction) {
            state.withLock { $0.undecided = transaction }
            cutOff.log(to: logger, [:])
        } catch is CancellationError {
            // The service stops: `finish` follows.
        } catch {
            notFlushed.log(to: logger, ["error": "\(error)"])
        }
    }

    /// Finds out the outcome of a commit that was cut off; false while it is still under way.
    private func resolveUndecided() async throws -> Bool {
        guard let transaction = state.withLock({ $0.undecided }) else { return true }
        guard let committed = try await store.wasCommitted(transaction: transaction) else { return false }
        state.withLock { state in
            if committed { state.flushing = [:] }
            state.undecided = nil
        }
        return true
    }

    private func reportDropped() {
        let dropped = state.withLock { state in
            defer { state.dropped = 0 }
            return state.dropped
        }
        guard dropped > 0 else { return }
        logger.error("impressions were signed but not counted", metadata: ["count": "\(dropped)"])
    }
}
