package import PostgresClient

/// What a load did, or would do.
package struct LoadOutcome: Sendable {
    /// The number of the load; of one that was rolled back, nothing has it.
    package let load: Int64
    /// The numbers of rows.
    package let changes: RowChanges
    /// What it changes row by row; nil if it was stored at once.
    package let plan: LoadPlan?
}

/// What a load changes, row by row, as somebody sees it before it is stored.
package struct LoadPlan: Sendable {
    /// The most rows of each list.
    package static let greatestCount: Int32 = 200

    /// The rows that are removed first, then those that are changed, then new ones.
    package let rows: [PlannedRow]
    /// Campaigns that lose all their cost of a day.
    package let lostCosts: [LostCost]
    /// How many such campaigns and days there are.
    package let lostCostCount: Int64
    /// What stands for it if it is confirmed.
    package let confirmation: LoadConfirmation
}

/// A row that a load adds, changes or removes.
package struct PlannedRow: Sendable, Equatable {
    /// What happens to it, with the values that count: of a changed row, those that differ.
    package enum Change: Sendable, Equatable {
        case added(String)
        case changed(from: String, to: String)
        case removed(String)
    }

    /// Which row it is.
    package let title: String
    /// What happens to it.
    package let change: Change

    init(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        title = try columns.next()
        let (isStored, stays): (Bool, Bool) = (try columns.next(), try columns.next())
        let (before, after): (String?, String?) = (try columns.next(), try columns.next())
        change =
            switch (isStored, stays) {
            case (_, false): .removed(before ?? "")
            case (false, true): .added(after ?? "")
            case (true, true): .changed(from: before ?? "", to: after ?? "")
            }
    }

    /// Whether something that was stored is lost.
    package var isLost: Bool {
        if case .added = change { false } else { true }
    }

    /// The row in one line.
    package var text: String {
        switch change {
        case .added(let values): "new: \(title): \(values)"
        case .changed(let before, let after): "changed: \(title): \(before) becomes \(after)"
        case .removed(let values): "removed: \(title): \(values)"
        }
    }
}

/// The cost of a campaign and a day that a load removes as a whole.
package struct LostCost: Sendable, Equatable {
    /// The day.
    package let day: PostgresDate
    /// The network, in lower case.
    package let network: String
    /// The advertised app.
    package let advertisedAppID: Int64
    /// The campaign.
    package let campaignID: String
    /// The currency.
    package let currency: String
    /// The cost, with all its decimals.
    package let spend: String

    init(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        day = try columns.next()
        network = try columns.next()
        advertisedAppID = try columns.next()
        campaignID = try columns.next()
        currency = try columns.next()
        spend = try columns.next()
    }

    /// The cost in one line.
    package var text: String {
        "loses its cost: \(day), \(network), app \(advertisedAppID), campaign \(campaignID): \(spend) \(currency)"
    }
}
