import AdAttribution

/// Draws what a postback advertises, and where its ad was shown.
struct SimulationChoices: Sendable {
    private let lines: PostbackSimulator.Configuration.Lines
    private let lineChoice: PopulationChoice
    private let appCount: Int
    private let firstSource: Int
    private let sources: Population
    private let sourceChoice: PopulationChoice
    private let domains: Population
    private let domainChoice: PopulationChoice

    /// The choices of a valid configuration.
    init(_ configuration: PostbackSimulator.Configuration) {
        lines = configuration.lines
        switch lines {
        case .campaigns(let count): lineChoice = .equal(count)
        case .population(let population): lineChoice = PopulationChoice(population)
        }
        appCount = configuration.advertisedAppIDs.count
        firstSource = configuration.firstSource
        sources = configuration.sources
        sourceChoice = PopulationChoice(sources)
        domains = configuration.domains
        domainChoice = PopulationChoice(domains)
    }

    /// The place of the advertised app, and the number of the campaign, from 1.
    func line(_ random: inout SeededRandom, number: UInt32) -> (app: Int, campaign: Int) {
        switch lines {
        case .campaigns:
            let app = random.below(appCount)
            return (app, lineChoice.pick(&random, number: number) + 1)
        case .population:
            let line = lineChoice.pick(&random, number: number)
            return (line % appCount, line / appCount + 1)
        }
    }

    /// A source app.
    func sourceApp(_ random: inout SeededRandom, number: UInt32) -> AppID? {
        MadeUpSource.app(firstSource + sources.number(at: sourceChoice.pick(&random, number: number)))
    }

    /// A domain.
    func sourceDomain(_ random: inout SeededRandom, number: UInt32) -> SourceDomain? {
        MadeUpSource.domain(firstSource + domains.number(at: domainChoice.pick(&random, number: number)))
    }
}

/// Sources that are made up, by their numbers, from 1.
enum MadeUpSource {
    /// The app with a number.
    ///
    /// None of them is 0, which would make a postback count as development.
    static func app(_ number: Int) -> AppID? { AppID(1_500_000_000 + Int64(number)) }

    /// The domain with a number.
    static func domain(_ number: Int) -> SourceDomain? {
        SourceDomain(number <= names.count ? names[number - 1] : "publisher\(number).example")
    }

    private static let names = ["example.com", "example.org", "news.example.net"]
}
