import AdAttribution
import ArgumentParser
import PostbackSimulation

/// The shares of what happens in `adsign simulate`.
struct SimulationShareOptions: ParsableArguments {
    @Option(name: .long, help: "Lines that deliver a postback again without a higher value.")
    var duplicates: Double?

    @Option(name: .long, help: "Lines that deliver a postback again with a higher value.")
    var raises: Double?

    @Option(name: .long, help: "Lines that deliver a postback again with a value of the other kind (fine or coarse).")
    var conflicts: Double?

    @Option(name: .long, help: "Postbacks with did-win false, from 3.0 on.")
    var losingRate: Double?

    @Option(name: .long, help: "Winning postbacks of the second and third window, 4.0 and AdAttributionKit.")
    var laterWindowRate: Double?

    @Option(name: .long, help: "Postbacks that the development key signs.")
    var developmentRate: Double?

    @Option(
        name: .long, help: "Lines that a relay changed: more members, absent fields as 0, capitals, too many values.")
    var relayNoiseRate: Double?

    @Option(name: .long, help: "Postbacks that name the network in capitals and with the other protocol's suffix.")
    var otherSpellingRate: Double?

    @Option(name: .long, help: "Postbacks that name the source app, if they may.")
    var sourceAppRate: Double?

    @Option(name: .long, help: "Postbacks in which the source is a domain, of those that name one; 4.0 only.")
    var sourceDomainRate: Double?

    @Option(
        name: .customLong("tier-3-rate"),
        help: "Postbacks in privacy tier 3, in which they name the source; 4.0 and AdAttributionKit.")
    var tier3Rate: Double?

    /// Whether no share was given.
    var isEmpty: Bool { shares.allSatisfy { $0.0 == nil } }

    private var shares: [(Double?, WritableKeyPath<PostbackSimulator.Configuration, Double>)] {
        [
            (duplicates, \.duplicates), (raises, \.raises), (conflicts, \.conflicts), (losingRate, \.losingRate),
            (laterWindowRate, \.laterWindowRate), (developmentRate, \.developmentRate),
            (relayNoiseRate, \.relayNoiseRate), (otherSpellingRate, \.otherSpellingRate),
            (sourceAppRate, \.sourceAppRate), (sourceDomainRate, \.sourceDomainRate), (tier3Rate, \.tier3Rate),
        ]
    }

    /// Sets the shares that were given.
    func set(in configuration: inout PostbackSimulator.Configuration) {
        for case (let share?, let path) in shares { configuration[keyPath: path] = share }
    }
}
