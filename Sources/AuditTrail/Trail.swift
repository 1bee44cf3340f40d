package import Access
import BackgroundWork
package import Logging
import Observability
package import PostbackStore
import ServiceLifecycle
import Synchronization

/// The trail of a server: it notes what happens, and sums what happens often.
///
/// Wrong tokens are summed by minute and address, so that a flood of them can't fill the table; signing by ten minutes,
/// token and address. A `kill -9` loses the sums that were not written yet.
package final class Trail: Service {
    private let store: PostbackStore
    private let sums = Mutex(TrailSums())
    private let logger: Logger
    private let failed = RepeatedLine(.error, "the trail was not written")
    private let waiting = RepeatedLine(.warning, "sums of the trail wait for the database")

    /// Takes the store that has the trail; entries are written into the log too.
    package init(store: PostbackStore, logger: Logger) {
        var store = store
        store.trailLogger = logger
        self.store = store
        self.logger = logger
    }

    /// Notes one thing that has happened now.
    ///
    /// If the database fails, the log has it, and an error.
    package func note(
        _ action: TrailAction, of subject: String? = nil, by actor: TrailActor,
        _ counts: [(name: String, count: Int64)] = []
    ) async {
        let entry = TrailEntry(action, of: subject, by: actor, at: store.clock(), counts)
        store.log(entry)
        do {
            try await store.note(entry)
        } catch {
            failed.log(to: logger, ["action": "\(action.rawValue)", "error": "\(error)"])
        }
    }

    /// Notes what happened to tokens, unless another server has done so.
    ///
    /// - Throws: An error of the database.
    package func note(_ ring: TokenRing, keptFor days: Int32?) async throws {
        for entry in try await store.note(ring, keptFor: days) { store.log(entry) }
    }

    /// Adds to a sum, without waiting for the database.
    package func sum(_ action: TrailAction, by actor: TrailActor, _ counts: [(name: String, count: Int64)]) {
        let now = store.clock()
        sums.withLock { $0.add(action, actor, counts, at: now) }
    }

    /// Writes sums when their time is over, and the last ones when the service stops.
    func run() async throws {
        await Repetition.run(every: .seconds(5), isAtOnce: false) { await self.write(all: false) }
        await write(all: true)
    }

    private func write(all: Bool) async {
        let now = store.clock()
        let entries = sums.withLock { $0.take(at: all ? nil : now) }
        guard !entries.isEmpty else { return }
        do {
            try await store.note(entries)
            for entry in entries { store.log(entry) }
        } catch {
            sums.withLock { $0.giveBack(entries) }
            waiting.log(to: logger, ["error": "\(error)"])
        }
    }
}
