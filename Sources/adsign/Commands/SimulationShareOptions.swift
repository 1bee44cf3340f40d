import AdAttribution
import ArgumentParser
import PostbackSimulation

/// How often what happens in `adsign simulate`.
struct SimulationShareOptions: ParsableArguments {
    @Option(name: .long, help: "Lines that bring a postback again with no higher value.")
    var duplicates: Double?

    @Option(name: .long, help: "Lines that bring a postback again with a higher value.")
    var raises: Double?

    @Option(name: .long, help: "Lines that bring a postback again with a value of the other kind, fine against coarse.")
    var conflicts: Double?

    @Option(name: .long, help: "Postbacks of networks that did not win, from 3.0 on.")
    var losingRate: Double?

    @Option(name: .long, help: "Winning postbacks of the second and third window, 4.0 and AdAttributionKit.")
    var laterWindowRate: Double?

    @Option(name: .long, help: "Postbacks that the development key signs.")
    var developmentRate: Double?

    @Option(name: .long, help: "Lines that a relay changed: more keys, absent fields as 0, capitals, surplus values.")
    var relayNoiseRate: Double?

    @Option(name: .long, help: "Postbacks that name the network in capitals and with the other framework's suffix.")
    var otherSpellingRate: Double?

    @Option(name: .long, help: "Postbacks that name the app that showed the ad, where they can.")
    var sourceAppRate: Double?

    /// Sets what was given.
    func set(in configuration: inout PostbackSimulator.Configuration) {
        let shares: [(Double?, WritableKeyPath<PostbackSimulator.Configuration, Double>)] = [
            (duplicates, \.duplicates), (raises, \.raises), (conflicts, \.conflicts), (losingRate, \.losingRate),
            (laterWindowRate, \.laterWindowRate), (developmentRate, \.developmentRate),
            (relayNoiseRate, \.relayNoiseRate), (otherSpellingRate, \.otherSpellingRate),
            (sourceAppRate, \.sourceAppRate),
        ]
        for case (let share?, let path) in shares { configuration[keyPath: path] = share }
    }
}
