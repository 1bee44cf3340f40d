import BackgroundWork
import Foundation
import Logging
import PostbackService
import PostbackStore
import ServerSettings

/// The system's limit of open files, and how the service keeps to it.
enum DescriptorLimit {
    /// Raises the soft limit as far as the connections need it.
    ///
    /// If the hard limit allows less, it lowers the numbers of connections and says so.
    ///
    /// - Throws: `SettingsError` if the limit leaves no connection.
    static func fit(_ configuration: inout ServiceConfiguration, lanes: LaneMap, _ logger: Logger) throws {
        guard var limits = current() else { return }
        let (soft, hard) = (Int(clamping: limits.rlim_cur), Int(clamping: limits.rlim_max))
        let cores = AvailableCores.count
        var budget = DescriptorBudget(
            soft: soft, hard: hard, configuration: configuration, lanes: lanes.count,
            isDistributed: lanes.isDistributed,
            cores: cores)
        if let wanted = budget?.limit, wanted > soft {
            limits.rlim_cur = rlim_t(wanted)
            // The system may refuse, for example if its own limit is lower than the hard one.
            if setrlimit(resource, &limits) != 0 {
                budget = DescriptorBudget(
                    soft: soft, hard: soft, configuration: configuration, lanes: lanes.count,
                    isDistributed: lanes.isDistributed, cores: cores)
            }
        }
        guard let budget else {
            throw SettingsError(
                key: Settings.Key.maximumConnections.environmentName,
                rule: "the limit of open files (ulimit -n) is \(hard), which leaves no connection for clients")
        }
        if budget.publicConnections < configuration.maximumConnections {
            logger.warning(
                "the limit of open files allows fewer connections than \(Settings.Key.maximumConnections.environmentName)",
                metadata: [
                    "open_files": "\(budget.limit)", "wanted": "\(configuration.maximumConnections)",
                    "connections": "\(budget.publicConnections)",
                ])
        }
        configuration.maximumConnections = budget.publicConnections
        configuration.maximumAdminConnections = budget.adminConnections
    }

    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }

    private static func current() -> rlimit? {
        var limits = rlimit()
        return getrlimit(resource, &limits) == 0 ? limits : nil
    }
}
