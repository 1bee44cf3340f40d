import AdAttribution
import ArgumentParser

/// The subcommand `adsign simulate`.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Make reproducible postbacks, signed with a test key.",
        discussion: """
            Prints one postback a line. The same seed, options and key give the same bytes, on every machine. Redelivered \
            postbacks differ from the first delivery in their conversion value only. A server counts them where \
            its key ring has the public key among its postback-keys, as test and never as production.

            Example:
              adsign keygen --curve p192 --out test.pem
              adsign simulate --seed 7 --count 20000 --key test.pem \\
                --duplicates 0.1 --raises 0.05 --shuffle > postbacks.ndjson
            """)

    @Option(name: .long, help: "Decides every draw: 0 to 18446744073709551615.")
    var seed: UInt64

    @Option(name: .long, help: "How many lines are printed: 1 to 10000000.")
    var count: Int

    @Option(
        name: .long,
        help: ArgumentHelp("The test key in PEM form: on P-192 for version 2.0.", valueName: "file"))
    var key: String

    @Option(name: .long, help: "A network; may be given again, and one is drawn for each postback.")
    var adNetworkID: [String] = ["example123.skadnetwork"]

    @Option(name: .long, help: "An advertised app; may be given again. Three are made up by default.")
    var appID: [Int64] = []

    @Option(name: .long, help: "How many campaigns there are, numbered from 1: 1 to 100.")
    var campaigns = 100

    @Option(name: .long, help: "The share of lines, 0 to 1, that bring a postback again with no higher value.")
    var duplicates = 0.0

    @Option(name: .long, help: "The share of lines, 0 to 1, that bring a postback again with a higher value.")
    var raises = 0.0

    @Option(name: .long, help: "The share of postbacks, 0 to 1, that name the app that showed the ad.")
    var sourceAppRate = 0.8

    @Flag(name: .long, help: "Put the lines in a random order, which the seed decides too.")
    var shuffle = false

    @Option(name: .long, help: "The version of SKAdNetwork.")
    var version = PostbackSimulator.defaultVersion.description

    /// How many bodies one thread makes at a time.
    private static let chunk = 256

    func run() throws {
        let simulator = try simulator()
        var start = 0
        let pipeline = OrderedPipeline(threads: Threads.available) {
            guard start < simulator.count else { return nil }
            defer { start += Self.chunk }
            return start..<min(start + Self.chunk, simulator.count)
        } work: { (range: Range<Int>) in
            var lines: [UInt8] = []
            for index in range {
                guard let body = try? simulator.body(at: index) else {
                    throw Failure(.fault, "\(KeyError.unavailable)")
                }
                lines.append(contentsOf: body)
                lines.append(UInt8(ascii: "\n"))
            }
            return lines
        } sink: { lines in
            try StandardStream.output(lines)
        }
        try pipeline.run()
    }

    private func simulator() throws -> PostbackSimulator {
        let configuration: PostbackSimulator.Configuration
        do throws(FieldError) {
            configuration = try self.configuration()
        } catch {
            throw Failure(option: error)
        }
        let curves = PostbackSimulator.curve(of: configuration.version).map { [$0] } ?? Curve.allCases
        let signingKey = try KeyFile.signingKey(key, curves: curves)
        do throws(FieldError) {
            return try PostbackSimulator(configuration, key: signingKey)
        } catch {
            throw Failure(option: error)
        }
    }

    private func configuration() throws(FieldError) -> PostbackSimulator.Configuration {
        let version = try Self.value("version", self.version, SKAdNetworkVersion.rule) { SKAdNetworkVersion($0) }
        var networks: [AdNetworkID] = []
        for text in adNetworkID {
            networks.append(try Self.value("ad-network-id", text, AdNetworkID.rule) { AdNetworkID($0) })
        }
        var configuration = PostbackSimulator.Configuration(seed: seed, count: count, adNetworkIDs: networks)
        var apps: [AppID] = []
        for integer in appID {
            apps.append(try Self.value("app-id", integer, AppID.rule) { AppID($0) })
        }
        if !apps.isEmpty { configuration.advertisedAppIDs = apps }
        configuration.version = version
        configuration.campaigns = campaigns
        configuration.duplicates = duplicates
        configuration.raises = raises
        configuration.sourceAppRate = sourceAppRate
        configuration.isShuffled = shuffle
        return configuration
    }

    private static func value<Text, Value>(
        _ field: String, _ text: Text, _ rule: String, _ make: (Text) -> Value?
    ) throws(FieldError) -> Value {
        guard let value = make(text) else { throw FieldError(field: field, rule: "must be \(rule)", value: "\(text)") }
        return value
    }
}
