import Destinations
import EventLog
import Foundation
import Logging
import Observability
import PostbackStore
import Synchronization

/// Sends for one destination while this server has its lease.
///
/// All it does is a child task: each request, each page of the log, each commit, each renewal. When one ends, the state
/// machine says what comes next. So nothing is under way when `run` returns.
struct DestinationSender: Sendable {
    /// How often the lease is renewed.
    static let renewal = Duration.seconds(3)
    /// How often it looks for a replay.
    static let replayCheck = Duration.seconds(3)
    /// How often the state machine is asked if nothing happens.
    static let tick = Duration.milliseconds(100)
    /// The same while requests are spread over time.
    static let shortTick = Duration.milliseconds(10)

    let stored: StoredDestination
    let lease: Lease
    /// When the statement was sent that took the lease.
    let leaseSent: ContinuousClock.Instant
    let store: PostbackStore
    let sending: AttemptSending
    let control: SenderControl
    let pace: SendingPace
    let metrics: ForwardingMetrics.OfSender
    let clock: WallClock
    let logger: Logger

    /// What a child task comes back with.
    enum Occurrence: Sendable {
        case tick
        case read(SenderState.Feed, Result<ForwardedPage, any Error>)
        case seen(Result<ForwardingCursors, any Error>)
        case due(Result<[WaitingDelivery], any Error>)
        case ended(number: Int, AttemptOutcome, ContinuousClock.Instant)
        case committed(SenderState.Settlement, Result<Void, any Error>)
        case renewed(sent: ContinuousClock.Instant, Result<Bool, any Error>)
    }

    /// Why a sender ends.
    enum End: Sendable {
        /// It was told to stop, and has stored all it did.
        case stopped
        /// Another server has the lease. It sends again what was not stored.
        case leaseLost
        /// The server stops and does not wait longer.
        case cancelled
        /// What it did could not be stored, or nobody knows. It begins again with what the database has.
        case failed(any Error)
    }

    /// Sends until the control says stop, the lease is lost or the database fails.
    func run() async -> End {
        do {
            let cursors = try await store.cursors(lease)
            return await withTaskGroup(of: Occurrence.self) { group in
                var loop = SenderLoop(self, cursors: cursors, in: &group)
                while let occurrence = await group.next() {
                    if Task.isCancelled { loop.end = .cancelled }
                    if loop.end == nil { loop.handle(occurrence, in: &group) }
                    if loop.end != nil { group.cancelAll() }
                }
                return loop.end ?? .stopped
            }
        } catch {
            return .failed(error)
        }
    }
}

/// Tells a sender to stop.
///
/// The sender looks at it about ten times a second.
final class SenderControl: Sendable {
    private let stopping = Atomic(false)

    /// Whether the sender is to finish what is under way, and to begin nothing more.
    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Tells it to stop.
    func stop() { stopping.store(true, ordering: .relaxed) }
}
