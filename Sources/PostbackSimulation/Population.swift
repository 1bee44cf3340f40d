/// How many there are of something that is drawn for each postback, and how often each of them comes.
package enum Population: Sendable, Hashable {
    /// So many, all equally likely.
    case equal(Int)
    /// So many by Zipf's law: the nth comes 1/n times as often as the first.
    ///
    /// Of 100,000 the first one has a twelfth, and the second half of them a twentieth together.
    case zipf(Int)
    /// So many in turn: each postback has the next one, and after the last one the first comes again.
    case each(Int)

    /// Reads a number such as `20`, `zipf:100000` or `each:1000`; nil for other texts and for 0.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let digits = parts.last, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(digits),
            count > 0
        else { return nil }
        switch parts.dropLast() {
        case []: self = .equal(count)
        case ["zipf"]: self = .zipf(count)
        case ["each"]: self = .each(count)
        default: return nil
        }
    }

    /// How many there are.
    package var count: Int {
        switch self {
        case .equal(let count), .zipf(let count), .each(let count): count
        }
    }

    /// The text that it is read from.
    package var text: String {
        switch self {
        case .equal(let count): String(count)
        case .zipf(let count): "zipf:\(count)"
        case .each(let count): "each:\(count)"
        }
    }

    /// What a text must be, to complete "must be …".
    package static let rule = "a number such as 20, zipf:100000 or each:1000"

    /// The greatest number: a table of sums belongs to Zipf's law.
    var most: Int {
        switch self {
        case .equal, .each: 1_000_000_000
        case .zipf: 1_000_000
        }
    }

    /// The number of the one at a place, both from 0.
    ///
    /// By Zipf's law the first places come most often. Their numbers are spread over all, since popular publishers are
    /// not neighbours in an index.
    func number(at place: Int) -> Int {
        switch self {
        case .equal, .each: place
        // A prime above every number of places, so no two places have the same number.
        case .zipf(let count): place * 2_654_435_761 % count
        }
    }
}

/// Draws from a population.
///
/// A draw of Zipf's law uses a random number of 53 bits. Its sums are rounded. The error of a share is below one in
/// 10,000,000,000.
enum PopulationChoice: Sendable {
    case equal(Int)
    case weighted(WeightedChoice)
    case each(Int)

    /// A choice from a population of at least one.
    init(_ population: Population) {
        switch population {
        case .equal(let count): self = .equal(count)
        case .zipf(let count): self = .weighted(WeightedChoice(zipf: count))
        case .each(let count): self = .each(count)
        }
    }

    /// The place of one of them, from 0.
    ///
    /// - Parameter number: The number of the postback, which decides if they come in turn.
    func pick(_ random: inout SeededRandom, number: UInt32) -> Int {
        switch self {
        case .equal(let count): random.below(count)
        case .weighted(let choice): choice.pick(&random)
        case .each(let count): Int(number) % count
        }
    }
}
