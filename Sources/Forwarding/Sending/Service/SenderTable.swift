import Destinations
import PostgresClient
import Synchronization

/// The senders of this server that run, and whether the server stops.
final class SenderTable: Sendable {
    private struct Running {
        let loadedAt: PostgresTimestamp
        let control: SenderControl
    }

    private struct State {
        var running: [DestinationName: Running] = [:]
        var isStopping = false
    }

    private let state = Mutex(State())

    /// Whether no sender may begin any more.
    var isStopping: Bool { state.withLock(\.isStopping) }

    /// When the file of each destination was loaded whose sender runs, or is about to end.
    var running: [DestinationName: PostgresTimestamp] { state.withLock { $0.running.mapValues(\.loadedAt) } }

    /// A sender begins.
    ///
    /// If the server stops, it is told so at once.
    func add(_ name: DestinationName, loadedAt: PostgresTimestamp) -> SenderControl {
        let control = SenderControl()
        state.withLock { state in
            state.running[name] = Running(loadedAt: loadedAt, control: control)
            if state.isStopping { control.stop() }
        }
        return control
    }

    /// A sender has ended.
    func remove(_ name: DestinationName) { state.withLock { $0.running[name] = nil } }

    /// Tells a sender to stop.
    func stop(_ name: DestinationName) { state.withLock { $0.running[name]?.control.stop() } }

    /// Tells all senders to stop, and lets none begin.
    func stopAll() {
        state.withLock { state in
            state.isStopping = true
            for running in state.running.values { running.control.stop() }
        }
    }

    /// Waits, but not longer than until the server stops.
    func sleep(_ duration: Duration) async {
        let end = ContinuousClock.now + duration
        while !isStopping, ContinuousClock.now < end, !Task.isCancelled {
            try? await Task.sleep(for: min(.milliseconds(100), max(.zero, end - .now)))
        }
    }
}
