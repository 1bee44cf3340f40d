import AdAttribution
import ArgumentParser

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

    /// Sets what was given; `everything` has shares of its own for the rest.
    func set(in configuration: inout PostbackSimulator.Configuration, everything: Bool) {
        configuration.duplicates = duplicates ?? (everything ? 0.05 : 0)
        configuration.raises = raises ?? (everything ? 0.05 : 0)
        configuration.conflicts = conflicts ?? (everything ? 0.02 : 0)
        configuration.losingRate = losingRate ?? (everything ? 0.15 : 0)
        configuration.laterWindowRate = laterWindowRate ?? (everything ? 0.3 : 0)
        configuration.relayNoiseRate = relayNoiseRate ?? (everything ? 0.1 : 0)
        configuration.otherSpellingRate = otherSpellingRate ?? (everything ? 0.02 : 0)
        configuration.developmentRate = developmentRate ?? 0
        configuration.sourceAppRate = sourceAppRate ?? configuration.sourceAppRate
    }
}
