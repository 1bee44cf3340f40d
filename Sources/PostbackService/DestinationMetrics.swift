import Destinations
import Forwarding
import Metrics

/// The metrics of destinations that the database knows, the same on each server.
///
/// A destination that was removed is not shown any more. Their names are those of a table of the operator.
struct DestinationMetrics: Sendable {
    private let lag = GaugeSet("adattribution_forward_lag_seconds", by: "destination")
    private let waiting = GaugeSet("adattribution_forward_waiting", by: "destination")
    private let dead = GaugeSet("adattribution_forward_dead", by: "destination")
    private let state = GaugeSet("adattribution_forward_state", by: "destination", "state")
    private let breaker = GaugeSet("adattribution_forward_breaker_open", by: "destination")

    /// Shows how the destinations are doing.
    func record(_ statuses: [DestinationStatus]) {
        func values(_ value: (DestinationStatus) -> Double) -> [([String], Double)] {
            statuses.map { (["\($0.name)"], value($0)) }
        }
        lag.record(values(\.lagSeconds))
        waiting.record(values { Double($0.waiting) })
        dead.record(values { Double($0.dead) })
        breaker.record(values { $0.isBreakerOpen ? 1 : 0 })
        state.record(
            statuses.flatMap { status in
                DestinationState.allCases.map { state in
                    (["\(status.name)", state.rawValue], state == status.state ? 1 : 0)
                }
            })
    }
}
