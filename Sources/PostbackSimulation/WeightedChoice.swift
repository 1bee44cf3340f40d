/// A choice among things that are not equally likely: sums of weights, and binary search among them.
struct WeightedChoice: Sendable {
    /// For each thing, the sum of the weights up to and with its own.
    private let sums: [Double]

    /// A choice by weights; nil unless all are finite and not negative, and one is positive.
    init?(_ weights: [Double]) {
        guard weights.allSatisfy({ $0.isFinite && $0 >= 0 }) else { return nil }
        var sum = 0.0
        sums = weights.map { weight in
            sum += weight
            return sum
        }
        guard sum > 0, sum.isFinite else { return nil }
    }

    /// A choice by Zipf's law: the thing at place n has the weight 1 / (n + 1).
    ///
    /// - Parameter count: At least one.
    init(zipf count: Int) {
        var sum = 0.0
        sums = (1...count).map { rank in
            sum += 1 / Double(rank)
            return sum
        }
    }

    /// The place of one thing.
    func pick(_ random: inout SeededRandom) -> Int {
        let point = random.unit() * (sums.last ?? 0)
        var low = 0
        var high = sums.count - 1
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] > point { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The share of one thing, 0…1.
    func share(of place: Int) -> Double {
        let before = place > 0 ? sums[place - 1] : 0
        return (sums[place] - before) / (sums.last ?? 1)
    }
}
