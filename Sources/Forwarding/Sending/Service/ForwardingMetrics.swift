import Destinations
import Metrics
import Synchronization

/// The metrics of forwarding.
///
/// Each is made when it is first needed. Gauges are removed with their destination; counters stay, since a sender may
/// still count.
package final class ForwardingMetrics: Sendable {
    /// What a sender counts.
    struct OfSender: Sendable {
        let delivered: Counter
        let failed: Counter
        let dead: Counter
        /// How long an attempt takes.
        let attempt: Timer
    }

    /// What the database says, the same on each server.
    private struct Gauges {
        let lag: Gauge
        let waiting: Gauge
        let dead: Gauge
        let breaker: Gauge
        let states: [(state: DestinationState, gauge: Gauge)]

        init(_ name: DestinationName) {
            let dimensions = [("destination", name.description)]
            lag = Gauge(label: "adattribution_forward_lag_seconds", dimensions: dimensions)
            waiting = Gauge(label: "adattribution_forward_waiting", dimensions: dimensions)
            dead = Gauge(label: "adattribution_forward_dead", dimensions: dimensions)
            breaker = Gauge(label: "adattribution_forward_breaker_open", dimensions: dimensions)
            states = DestinationState.allCases.map {
                (
                    $0,
                    Gauge(label: "adattribution_forward_state", dimensions: dimensions + [("state", $0.rawValue)])
                )
            }
        }

        func show(_ status: DestinationStatus) {
            lag.record(status.lagSeconds)
            waiting.record(status.waiting)
            dead.record(status.dead)
            breaker.record(status.isBreakerOpen ? 1 : 0)
            for (state, gauge) in states { gauge.record(state == status.state ? 1 : 0) }
        }

        func destroy() {
            for gauge in [lag, waiting, dead, breaker] + states.map(\.gauge) { gauge.destroy() }
        }
    }

    private let senders = Mutex<[DestinationName: OfSender]>([:])
    private let gauges = Mutex<[DestinationName: Gauges]>([:])

    package init() {}

    /// What the sender of a destination counts.
    func ofSender(_ name: DestinationName) -> OfSender {
        senders.withLock { senders in
            if let known = senders[name] { return known }
            let destination = ("destination", name.description)
            func counter(_ outcome: String) -> Counter {
                Counter(
                    label: "adattribution_forward_deliveries_total", dimensions: [destination, ("outcome", outcome)])
            }
            let new = OfSender(
                delivered: counter("delivered"), failed: counter("failed"), dead: counter("dead"),
                attempt: Timer(label: "adattribution_forward_attempt_seconds", dimensions: [destination]))
            senders[name] = new
            return new
        }
    }

    /// Shows how all destinations are, and removes those that are gone.
    package func show(_ statuses: [DestinationStatus]) {
        gauges.withLock { gauges in
            let names = Set(statuses.map(\.name))
            for (name, gone) in gauges where !names.contains(name) {
                gone.destroy()
                gauges[name] = nil
            }
            for status in statuses {
                let shown = gauges[status.name] ?? Gauges(status.name)
                gauges[status.name] = shown
                shown.show(status)
            }
        }
    }
}
