import AdAttribution
import ArgumentParser
import PostbackSimulation

/// How many sources and lines `adsign simulate` has, and how often each of them comes.
struct SimulationPopulationOptions: ParsableArguments {
    @Option(
        name: .long, help: "Source apps; 20 by default. Also with --timeline.",
        transform: { try Population(option: $0) })
    var sources: Population?

    @Option(name: .long, help: "Domains with web ads; 3 by default.", transform: { try Population(option: $0) })
    var domains: Population?

    @Option(
        name: .long,
        help: "Lines, each an app and a campaign or source identifier of it, instead of --campaigns.",
        transform: { try Population(option: $0) })
    var lines: Population?

    @Option(name: .long, help: "The number of the first source, so that there are others: 1 by default.")
    var firstSource: Int?

    @Option(name: .long, help: "Another number gives the same postbacks with other transaction ids: 0 by default.")
    var occasion: UInt64?

    /// An option that `--timeline` does not have; nil if there is none.
    var needlessInTimeline: String? {
        let given: [(String, Bool)] = [
            ("domains", domains != nil), ("lines", lines != nil), ("first-source", firstSource != nil),
            ("occasion", occasion != nil),
        ]
        return given.first { $0.1 }?.0
    }

    /// Sets what was given.
    func set(in configuration: inout PostbackSimulator.Configuration) {
        if let sources { configuration.sources = sources }
        if let domains { configuration.domains = domains }
        if let lines { configuration.lines = .population(lines) }
        if let firstSource { configuration.firstSource = firstSource }
        if let occasion { configuration.occasion = occasion }
    }
}

extension Population {
    /// The population that an option says.
    fileprivate init(option text: String) throws {
        guard let population = Population(text) else {
            throw ValidationError("must be \(Population.rule), not \"\(text)\".")
        }
        self = population
    }
}
