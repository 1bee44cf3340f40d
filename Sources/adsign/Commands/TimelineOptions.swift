import AdAttribution
import ArgumentParser
import Foundation
import PostbackSimulation

/// The options of `adsign simulate --timeline`.
struct TimelineOptions: ParsableArguments {
    @Flag(
        name: .customLong("timeline"),
        help: "Model Apple's side in time: installs, windows, privacy tiers, delays. Lines have the time of receipt.")
    var isOn = false

    @Option(name: .long, help: ArgumentHelp("Settings in JSON; docs/simulation.md has them all.", valueName: "file"))
    var config: String?

    @Option(name: .long, help: "The first day with installs or customers, such as 2026-07-01.")
    var begin: String?

    @Option(name: .long, help: "The number of days with installs or customers.")
    var days: Int?

    @Option(
        name: .long, help: "Leave out what arrives at this moment or later, such as 2026-09-30T12:00:00Z.",
        transform: { try Moment(option: $0) })
    var until: Moment?

    @Option(name: .long, help: "The mean number of installs and re-engagements a day.")
    var installsADay: Double?

    @Option(name: .long, help: ArgumentHelp("Withhold values by chance, and not by crowds.", valueName: "share"))
    var withholdAtRandom: Double?

    @Option(name: .long, help: "The share of postbacks that arrive up to nine days late.")
    var delayedShare: Double?

    @Option(name: .long, help: ArgumentHelp("Write what happened behind each postback or event.", valueName: "file"))
    var truth: String?

    @Option(name: .long, help: ArgumentHelp("Write the copies that developers get.", valueName: "file"))
    var copies: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Write the conversion-value schemes of the apps, a file each.", valueName: "folder"))
    var schemes: String?

    @Flag(name: .long, help: "Print all settings as JSON, and simulate nothing.")
    var printConfig = false

    /// An option that was given although `--timeline` was not; nil if there is none.
    var needless: String? { given.first { $0.1 }?.0 }

    /// An option that `--app-store` does not have; nil if there is none.
    var needlessInAppStore: String? {
        given.first { $0.1 && !["begin", "days", "truth"].contains($0.0) }?.0
    }

    private var given: [(String, Bool)] {
        [
            ("config", config != nil), ("begin", begin != nil), ("days", days != nil),
            ("until", until != nil),
            ("installs-a-day", installsADay != nil), ("withhold-at-random", withholdAtRandom != nil),
            ("delayed-share", delayedShare != nil), ("truth", truth != nil), ("copies", copies != nil),
            ("schemes", schemes != nil), ("print-config", printConfig),
        ]
    }

    /// The settings: those of the file, and over them the options.
    ///
    /// - Parameters:
    ///   - networks: If there are any, they replace those of the file, and each has as much as the others.
    ///   - apps: If there are any, they replace those of the file and have the models of the first apps there.
    ///   - sources: The source apps, if they are not those of the file.
    func settings(networks: [String], apps: [Int64], sources: Population?) throws -> TimelineSettings {
        var settings = try file()
        if let begin { settings.begin = begin }
        if let days { settings.days = days }
        if let installsADay { settings.installsADay = installsADay }
        if let withholdAtRandom { settings.privacy = .random(share: withholdAtRandom) }
        if let delayedShare { settings.delayedShare = delayedShare }
        if let sources { settings.sourceApps = .population(sources) }
        if !networks.isEmpty {
            settings.networks = networks.map { TimelineSettings.Network(adNetworkID: $0, weight: 1) }
        }
        if !apps.isEmpty {
            let models = settings.apps.map(\.models)
            settings.apps = apps.enumerated().map { index, id in
                TimelineSettings.App(
                    appID: id, weight: 1, models: models.isEmpty ? [.revenue()] : models[index % models.count])
            }
        }
        return settings
    }

    private func file() throws -> TimelineSettings {
        guard let config else { return TimelineSettings() }
        let bytes = try InputFile.bytes(of: config, atMost: Self.largest)
        do throws(FieldError) {
            return try TimelineSettings(json: bytes)
        } catch {
            throw CommandError(.data, "\(InputFile.name(of: config)): \(error)")
        }
    }

    private static let largest = 1 << 20
}

extension Moment {
    /// The moment that an option says.
    fileprivate init(option text: String) throws {
        // Foundation reads days that do not exist, too, and text behind the moment. So it must say the same again.
        guard let date = try? Date(text, strategy: .iso8601), date.formatted(.iso8601) == text else {
            throw ValidationError("must be a moment in UTC such as 2026-09-30T12:00:00Z, not \"\(text)\".")
        }
        self.init(milliseconds: Int64(date.timeIntervalSince1970) * 1_000)
    }
}
