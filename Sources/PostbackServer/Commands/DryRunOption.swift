import ArgumentParser
import CampaignData

/// The option of commands that load files: whether anything stays.
struct DryRunOption: ParsableArguments {
    @Flag(help: "Do everything but store it: say what would be done, or refused.")
    var dryRun = false

    /// How the transaction ends.
    var ending: LoadEnding { dryRun ? .rollback : .commit }

    /// What a line about a load begins with.
    var prefix: String { dryRun ? "dry run, nothing is stored: " : "" }

    /// Shows what a load did; in a dry run also which rows would be lost.
    ///
    /// - Parameter text: The numbers of rows, in words.
    func show(_ outcome: LoadOutcome, _ text: String) throws {
        try StandardOutput.summary(prefix + text)
        guard let plan = outcome.plan else { return }
        for cost in plan.lostCosts { try StandardOutput.line(cost.text) }
        for row in plan.rows where row.isLost { try StandardOutput.line(row.text) }
        let hidden = outcome.changes.changed + outcome.changes.removed - Int64(plan.rows.count { $0.isLost })
        if hidden > 0 { try StandardOutput.line("\(hidden) more rows would be removed or changed") }
    }
}
