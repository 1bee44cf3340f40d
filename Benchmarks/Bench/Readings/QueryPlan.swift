/// What `EXPLAIN (ANALYZE)` says at its end.
enum QueryPlan {
    /// The milliseconds of planning and execution together.
    ///
    /// - Throws: `BenchError` if the lines do not hold both.
    static func milliseconds(of lines: [String]) throws -> Double {
        let times = lines.compactMap { line -> Double? in
            let words = line.split(separator: " ")
            guard words.count == 4, ["Planning", "Execution"].contains(words[0]), words[1] == "Time:", words[3] == "ms"
            else { return nil }
            return Double(words[2])
        }
        guard times.count == 2 else { throw BenchError("EXPLAIN tells no time") }
        return times[0] + times[1]
    }

    /// How many rows the whole plan returned.
    ///
    /// - Throws: `BenchError` if the first line does not say it.
    static func rows(of lines: [String]) throws -> Double {
        let parts = (lines.first ?? "").split(separator: "(actual ").dropFirst().last?.split(separator: " ") ?? []
        guard let rows = parts.first(where: { $0.hasPrefix("rows=") }).flatMap({ Double($0.dropFirst("rows=".count)) })
        else { throw BenchError("EXPLAIN tells no rows") }
        return rows
    }
}
