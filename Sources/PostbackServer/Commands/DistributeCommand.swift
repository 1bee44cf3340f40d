import ArgumentParser
import PostbackStore
import ServerSettings

/// The command `PostbackServer distribute`.
struct DistributeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "distribute",
        abstract: "Distribute the tables that grow with postbacks over a Citus cluster.",
        discussion: """
            The database must be on the coordinator, and all servers must be stopped. The command checks the cluster, says \
            what it will do, and does it in one transaction, with a recount before and after. If the recounts differ from \
            each other, nothing is changed (exit code 70). If figures were wrong before, it ends with 65. It may run \
            twice. Servers then need no other setting, unless they reach workers at other addresses than the nodes know \
            (WORKER_ADDRESSES).

            Examples:
              PostbackServer distribute --dry-run
              PostbackServer distribute --lanes 32
            """)

    @Flag(name: .long, help: "Check, and say what would be done.")
    var dryRun = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The number of lanes, \(MigrateCommand.laneRange.lowerBound) to \(MigrateCommand.laneRange.upperBound); each is a "
                + "shard. (default: the present number if the tables are distributed, else "
                + "\(DistributionPlan.lanesPerWorker) for each worker)", valueName: "count"))
    var lanes: Int?

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func validate() throws { try MigrateCommand.check(lanes: lanes) }

    func run() async throws {
        let dryRun = dryRun
        let lanes = lanes
        try await StoreSession.with(options) { store in
            let plan = try await store.distributionPlan(lanes: lanes)
            for line in Self.lines(plan) { try StandardOutput.summary(line) }
            try plan.check()
            guard !dryRun else { return }
            try Self.tell(try await store.distribute(plan))
        }
    }

    private static func lines(_ plan: DistributionPlan) -> [String] {
        var lines = ["workers: \(plan.workers.joined(separator: " "))"]
        lines.append("tables: \(plan.isDistributed ? "distributed already" : "will be distributed by lane")")
        lines.append(
            plan.changesLanes
                ? "lanes: \(plan.presentLanes) will be closed, \(plan.postbacks) postbacks move to \(plan.lanes) new ones"
                : "lanes: \(plan.presentLanes), as they are")
        return lines + plan.advice.map { "advice: \($0)" }
    }

    /// Tells what the recount found.
    ///
    /// - Throws: `FigureDifferences`.
    static func tell(_ result: DistributionResult) throws {
        guard result.differences == 0 else { throw FigureDifferences(count: result.differences) }
        try StandardOutput.summary("recount: all figures are right")
    }
}

/// The command has done its work, but figures were wrong before it, and are now.
struct FigureDifferences: Error, CustomStringConvertible {
    let count: Int64

    var description: String {
        "done; but \(count) rows of figures differ from the postbacks, as before: PostbackServer recount shows them"
    }
}
