import Testing

@testable import bench

/// What the table of `make bench` says of the samples of a run.
struct FigureSummaryTests {
    @Test(
        "The median is the middle of the sorted numbers, or the mean of the two in the middle",
        arguments: [
            ([3.0], 3.0), ([2.0, 1.0], 1.5), ([9.0, 1.0, 4.0], 4.0), ([8.0, 1.0, 2.0, 100.0], 5.0),
        ])
    func medianIsTheMiddle(numbers: [Double], median: Double) {
        #expect(FigureSummary.median(numbers) == median)
    }

    @Test("Without numbers there is no median")
    func noNumbers() {
        #expect(FigureSummary.median([]) == nil)
    }

    @Test("The ratio is the median of the rounds' ratios, not the ratio of the medians")
    func ratioIsOfTheRounds() {
        let summary = FigureSummary(
            "a",
            samples("a", values: [10, 30, 80], baselines: [10, 60, 40]), bound: nil)
        #expect(summary.value == 30)
        #expect(summary.baseline == 40)
        #expect(summary.ratios == [1, 0.5, 2])
        #expect(summary.ratio == 1)
        #expect(summary.spread == 150)
    }

    @Test("A round without a baseline has no ratio; one that failed has no value")
    func missingSamples() {
        var all = samples("a", values: [10, 20], baselines: [10])
        all.append(Sample(figure: "a", round: 3, kind: .value, value: nil, unit: "1/s", reason: "it did not start"))
        let summary = FigureSummary("a", all, bound: nil)
        #expect(summary.values == [10, 20])
        #expect(summary.ratios == [1])
        #expect(summary.reason == "it did not start")
    }

    @Test("If the baseline is zero, there is no ratio")
    func zeroBaseline() {
        let summary = FigureSummary("a", samples("a", values: [10], baselines: [0]), bound: .ratioAtLeast(1))
        #expect(summary.ratio == nil)
        #expect(summary.reached == nil)
    }

    @Test(
        "A bound is reached by the median",
        arguments: [
            (Bound.ratioAtLeast(0.5), true), (.ratioAtLeast(0.51), false), (.ratioAtMost(0.5), true),
            (.ratioAtMost(0.49), false), (.valueAtMost(50), true), (.valueAtMost(49), false), (.valueAtLeast(50), true),
            (.valueAtLeast(51), false),
        ])
    func bounds(bound: Bound, reached: Bool) {
        let summary = FigureSummary("a", samples("a", values: [50], baselines: [100]), bound: bound)
        #expect(summary.reached == reached)
    }

    @Test("Figures keep the order in which they first appear")
    func order() {
        let all = samples("b", values: [1], baselines: []) + samples("a", values: [1], baselines: [])
        let names = FigureSummary.all(of: all + all, bounds: [:]).map(\.figure)
        #expect(names == ["b", "a"])
    }

    private func samples(_ figure: String, values: [Double], baselines: [Double]) -> [Sample] {
        let kinds: [(Sample.Kind, [Double])] = [(.value, values), (.baseline, baselines)]
        return kinds.flatMap { kind, numbers in
            numbers.enumerated().map { index, number in
                Sample(figure: figure, round: index + 1, kind: kind, value: number, unit: "1/s", reason: nil)
            }
        }
    }
}
