import Testing

@testable import bench

/// The lines that a run ends with.
struct FigureTableTests {
    private let samples = [
        Sample(figure: "fast", round: 1, kind: .value, value: 1_234.4, unit: "1/s", reason: nil),
        Sample(figure: "fast", round: 1, kind: .baseline, value: 1_000, unit: "1/s", reason: nil),
        Sample(figure: "slow", round: 1, kind: .value, value: 30, unit: "ms", reason: nil),
        Sample(figure: "missing", round: 1, kind: .value, value: nil, unit: "B", reason: "no commit"),
    ]

    @Test("Each figure is a line with value, baseline, ratio, bound, and why something is missing")
    func lines() throws {
        let summaries = FigureSummary.all(
            of: samples, bounds: ["fast": .ratioAtLeast(1.2), "slow": .valueAtMost(20), "missing": .ratioAtMost(0.5)])
        let rows = FigureTable(summaries: summaries).lines.map { $0.split(separator: " ").joined(separator: " ") }
        #expect(
            rows == [
                "figure unit value baseline ratio spread bound reached",
                "fast 1/s 1234 1000 1.23 - ratio >= 1.2 yes",
                "slow ms 30.00 - - - <= 20 ms NO",
                "missing B - - - - ratio <= 0.5 - (no commit)",
            ])
    }

    @Test("The report names the facts of the machine above the table")
    func facts() throws {
        let report = Report(
            facts: [.init(name: "processor", text: "a core"), .init(name: "os", text: "x")], samples: samples)
        #expect(report.lines.prefix(3) == ["processor  a core", "os         x", ""])
        #expect(report.figures.map(\.figure) == ["fast", "slow", "missing"])
    }
}
