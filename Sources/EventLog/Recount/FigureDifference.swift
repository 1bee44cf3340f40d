/// A figure that differs from the rows it is made of.
package struct FigureDifference: Sendable, Equatable, CustomStringConvertible {
    /// The table of the figure.
    package let table: String
    /// The row: the columns of the table's key, in brackets.
    package let key: String
    /// The row of `attribution.line` that it belongs to; nil for the size of the quarantine.
    package let line: Int32?
    /// Network, campaign and app of the line; nil if there is no such line.
    package let campaign: String?
    /// The name of the figure.
    package let figure: String
    /// What the table has; 0 if it has no such row.
    package let stored: String
    /// What the rows say.
    package let recounted: String

    /// One line: the row, the figure, and both numbers.
    package var description: String {
        "\(table) \(key) \(figure): stored \(stored), recounted \(recounted)\(campaign.map { " (\($0))" } ?? "")"
    }
}

/// What a recount found.
package struct Recount: Sendable, Equatable {
    /// The figures that differ.
    package internal(set) var differences: Int64 = 0
    /// The lines that these belong to.
    package internal(set) var lines: Set<Int32> = []
    /// Apps whose answers were left out, since they wait to be folded anew after a scheme was loaded for past days.
    package internal(set) var waitingApps: [Int64] = []

    mutating func count(_ difference: FigureDifference) {
        differences += 1
        if let line = difference.line { lines.insert(line) }
    }
}

/// Figures that still differ after they were summed anew; nothing was changed.
package struct FiguresNotMended: Error, Sendable, CustomStringConvertible {
    /// How many rows of figures would differ.
    package let rows: Int64

    /// What happened, and what to do about it.
    package var description: String {
        "\(rows) rows of figures would still differ; nothing was changed. On a cluster whose shards are being moved or "
            + "split, run it again; else report it as a fault"
    }
}
