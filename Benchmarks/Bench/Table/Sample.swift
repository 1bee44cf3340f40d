/// One measurement, a line of `.local/bench.ndjson`.
struct Sample: Codable, Equatable, Sendable {
    enum Kind: String, Codable {
        case value
        case baseline
    }

    let figure: String
    let round: Int
    let kind: Kind
    /// Nil if it was tried in vain.
    let value: Double?
    let unit: String
    /// Why there is no value, if that is known.
    let reason: String?
}
