import AdAttribution
import ArgumentParser
import PostbackSimulation

/// The options of `adsign simulate --app-store`.
struct AppStoreOptions: ParsableArguments {
    @Option(
        name: .customLong("app-store"),
        help: ArgumentHelp(
            "Make notifications of the App Store about so many customers: 1 to 500000.", valueName: "customers"))
    var customers: Int?

    @Option(name: .long, help: "An app; can be repeated. com.example.game and com.example.news by default.")
    var bundleID: [String] = []

    @Option(name: .customLong("v1-share"), help: "Customers whose notifications have version 1; 0 by default.")
    var v1Share: Double?

    @Option(name: .long, help: ArgumentHelp("The apps' shared secret, which version 1 needs.", valueName: "file"))
    var sharedSecretFile: String?

    @Option(name: .long, help: "Purchases that are refunded; 0.06 by default.")
    var refundShare: Double?

    @Option(name: .long, help: "Purchases that a family shares, if it can; 0.2 by default.")
    var familyShare: Double?

    @Option(name: .long, help: "Notifications that arrive hours or days late; 0.05 by default.")
    var lateShare: Double?

    @Option(name: .long, help: "Notifications that are delivered three times; 0.05 by default.")
    var repeatedShare: Double?

    @Option(name: .long, help: "Notifications that are never delivered; 0 by default.")
    var missingShare: Double?

    @Option(name: .long, help: ArgumentHelp("Write what is never delivered.", valueName: "file"))
    var history: String?

    @Option(name: .long, help: ArgumentHelp("Write the root certificate for the key ring.", valueName: "file"))
    var root: String?

    @Option(name: .long, help: ArgumentHelp("Write the lines to a file.", valueName: "file"))
    var output: String?

    /// Whether notifications are asked for.
    var isOn: Bool { customers != nil }

    /// An option that was given although `--app-store` was not; nil if there is none.
    var needless: String? {
        let given: [(String, Bool)] = [
            ("bundle-id", !bundleID.isEmpty), ("shared-secret-file", sharedSecretFile != nil),
            ("history", history != nil), ("root", root != nil), ("output", output != nil),
        ]
        return shares.contains { $0.0 != nil } ? "v1-share and the like" : given.first { $0.1 }?.0
    }

    private var shares: [(Double?, WritableKeyPath<AppStoreSimulator.Configuration, Double>)] {
        [
            (v1Share, \.v1Share), (refundShare, \.refundShare), (familyShare, \.familyShare), (lateShare, \.lateShare),
            (repeatedShare, \.repeatedShare), (missingShare, \.missingShare),
        ]
    }

    /// The configuration that the options say.
    func configuration(
        seed: UInt64, begin: String?, days: Int?, isShuffled: Bool
    ) throws -> AppStoreSimulator.Configuration {
        var configuration = AppStoreSimulator.Configuration(seed: seed, customers: customers ?? 0)
        if let begin { configuration.begin = begin }
        if let days { configuration.days = days }
        if !bundleID.isEmpty { configuration.bundleIDs = bundleID }
        for case (let share?, let path) in shares { configuration[keyPath: path] = share }
        configuration.sharedSecret = try sharedSecretFile.map { try KeyFile.sharedSecret($0) }
        configuration.isShuffled = isShuffled
        return configuration
    }
}
