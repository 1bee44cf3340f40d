/// A figure over all rounds: a row of the table.
struct FigureSummary: Encodable, Equatable {
    let figure: String
    let unit: String
    /// What was measured, in the order of the rounds; a round that failed is missing.
    let values: [Double]
    let baselines: [Double]
    /// Value to baseline, of the rounds that have both.
    let ratios: [Double]
    let value: Double?
    let baseline: Double?
    let ratio: Double?
    /// From the least to the greatest in percent of the median: of the ratios, or of the values where there are none.
    let spread: Double?
    /// The bound of the ratio, or else of the value.
    let minimumRatio: Double?
    let maximumRatio: Double?
    let minimumValue: Double?
    let maximumValue: Double?
    /// Whether the median reaches the bound; nil if there is no bound, or nothing to compare with it.
    let reached: Bool?
    /// Why a value or a baseline is missing, if that is known.
    let reason: String?

    /// All samples of one figure.
    init(_ figure: String, _ samples: [Sample], bound: Bound?) {
        self.figure = figure
        unit = samples.first?.unit ?? ""
        let values = Self.byRound(samples, .value)
        let baselines = Self.byRound(samples, .baseline)
        let rounds = Set(samples.map(\.round)).sorted()
        self.values = rounds.compactMap { values[$0] }
        self.baselines = rounds.compactMap { baselines[$0] }
        ratios = rounds.compactMap { round in
            guard let value = values[round], let baseline = baselines[round], baseline > 0 else { return nil }
            return value / baseline
        }
        value = Self.median(self.values)
        baseline = Self.median(self.baselines)
        ratio = Self.median(ratios)
        spread = Self.spread(ratios.isEmpty ? self.values : ratios)
        reason = samples.lazy.compactMap(\.reason).first
        var (minimumRatio, maximumRatio, minimumValue, maximumValue): (Double?, Double?, Double?, Double?)
        switch bound {
        case .ratioAtLeast(let least):
            minimumRatio = least
            reached = ratio.map { $0 >= least }
        case .ratioAtMost(let most):
            maximumRatio = most
            reached = ratio.map { $0 <= most }
        case .valueAtLeast(let least):
            minimumValue = least
            reached = value.map { $0 >= least }
        case .valueAtMost(let most):
            maximumValue = most
            reached = value.map { $0 <= most }
        case nil:
            reached = nil
        }
        self.minimumRatio = minimumRatio
        self.maximumRatio = maximumRatio
        self.minimumValue = minimumValue
        self.maximumValue = maximumValue
    }

    /// One summary for each figure, in the order in which they first appear.
    static func all(of samples: [Sample], bounds: [String: Bound]) -> [FigureSummary] {
        var names: [String] = []
        var groups: [String: [Sample]] = [:]
        for sample in samples {
            if groups[sample.figure] == nil { names.append(sample.figure) }
            groups[sample.figure, default: []].append(sample)
        }
        return names.map { FigureSummary($0, groups[$0] ?? [], bound: bounds[$0]) }
    }

    static func median(_ numbers: [Double]) -> Double? {
        guard !numbers.isEmpty else { return nil }
        let sorted = numbers.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    private static func byRound(_ samples: [Sample], _ kind: Sample.Kind) -> [Int: Double] {
        var numbers: [Int: Double] = [:]
        for sample in samples where sample.kind == kind { numbers[sample.round] = sample.value }
        return numbers
    }

    private static func spread(_ numbers: [Double]) -> Double? {
        guard numbers.count > 1, let least = numbers.min(), let greatest = numbers.max(),
            let median = median(numbers), median > 0
        else { return nil }
        return (greatest - least) / median * 100
    }
}
