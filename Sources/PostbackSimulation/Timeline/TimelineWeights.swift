import AdAttribution

/// The weights of a setting: a list, or a population such as `zipf:100000`.
package enum TimelineWeights: Codable, Sendable, Equatable, ExpressibleByArrayLiteral {
    /// A weight for each.
    case list([Double])
    /// So many, equal ones or by Zipf's law.
    case population(Population)

    /// A list.
    package init(arrayLiteral weights: Double...) {
        self = .list(weights)
    }

    /// Reads an array of numbers, or the text of a population.
    ///
    /// - Throws: `FieldError` with the path if the text is none.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            self = .list(try container.decode([Double].self))
            return
        }
        guard let population = Population(text) else {
            throw FieldError(
                field: TimelineSettings.path(decoder.codingPath), rule: "must be an array or \(Self.rule)", value: text)
        }
        self = .population(population)
    }

    /// Writes what it is read from.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .list(let weights): try container.encode(weights)
        case .population(let population): try container.encode(population.text)
        }
    }

    /// How many there are.
    var count: Int {
        switch self {
        case .list(let weights): weights.count
        case .population(let population): population.count
        }
    }

    /// The number of the one at a place, both from 0.
    func number(at place: Int) -> Int {
        switch self {
        case .list: place
        case .population(let population): population.number(at: place)
        }
    }

    /// A choice by the weights.
    ///
    /// - Throws: `FieldError` if there are none, too many, or none that is positive.
    func choice(_ field: String, most: Int, mostOfPopulation: Int) throws(FieldError) -> WeightedChoice {
        switch self {
        case .list(let weights): return try TimelineWorld.choice(field, weights, most: most)
        case .population(.each): throw FieldError(field: field, rule: "must be an array or \(Self.rule)")
        case .population(.equal(let count)):
            try Self.check(count, field, mostOfPopulation)
            return try TimelineWorld.choice(field, Array(repeating: 1, count: count), most: mostOfPopulation)
        case .population(.zipf(let count)):
            try Self.check(count, field, mostOfPopulation)
            return WeightedChoice(zipf: count)
        }
    }

    private static func check(_ count: Int, _ field: String, _ most: Int) throws(FieldError) {
        guard (1...most).contains(count) else {
            throw FieldError(field: field, rule: "must be at most \(most)", value: "\(count)")
        }
    }

    private static let rule = "a number such as 20 or zipf:100000"
}
