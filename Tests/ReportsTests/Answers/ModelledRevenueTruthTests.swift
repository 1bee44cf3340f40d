import PostbackSimulation
import TestSupport
import Testing

@Suite(
    "Modelled revenue against the truth", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .heavyWork)
struct ModelledRevenueTruthTests {
    /// Stores the runs, and checks that the counts of the database are those of the truth.
    private func runs(_ runs: ModelledRuns) async throws -> [(ModelledRun, ModelledRuns.Truth)] {
        try await TestDatabase.with { database in
            let truth = try await database.withStore { try await runs.store(in: $0) }
            let reported = try await database.modelledRuns()
            try #require(reported.count == runs.count)
            for (run, truth) in zip(reported, truth) {
                #expect(run.mapped == truth.mapped && run.withheld == truth.withheld)
            }
            return Array(zip(reported, truth))
        }
    }

    /// How wide the intervals are, as a share of the true revenue of the runs that have one.
    private func width(_ runs: [(ModelledRun, ModelledRuns.Truth)]) -> Double {
        let known = runs.compactMap { run, truth in run.width.map { (width: $0, revenue: Double(truth.cents) / 100) } }
        return known.reduce(0) { $0 + $1.width } / known.reduce(0) { $0 + $1.revenue }
    }

    @Test(
        "Where values are withheld at random, at least 93 percent of the intervals of 200 runs hold the true revenue")
    func random() async throws {
        let runs = try await runs(ModelledRuns(.ranges, count: 200))
        let holds = runs.compactMap { $0.holds($1) }
        #expect(holds.count >= 150)
        #expect(Double(holds.count { $0 }) >= 0.93 * Double(holds.count))
        #expect(width(runs) < 1.4)
    }

    // An interval with the error of the mean alone would hold it in three runs of four.
    @Test("If each value is one exact sum, the interval holds the true revenue in at least 93 percent of 200 runs")
    func exact() async throws {
        let runs = try await runs(ModelledRuns(.exact, count: 200))
        let holds = runs.compactMap { $0.holds($1) }
        #expect(holds.count >= 150)
        #expect(Double(holds.count { $0 }) >= 0.93 * Double(holds.count), "\(holds.count { $0 }) of \(holds.count)")
        #expect(width(runs) < 1.3)
        let modelled = runs.reduce(0) { $0 + $1.0.modelled }
        let truth = runs.reduce(0) { $0 + Double($1.1.cents) / 100 }
        #expect(abs(modelled / truth - 1) < 0.02)
    }
}
