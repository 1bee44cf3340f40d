import AdAttribution
import ArgumentParser
import Foundation
import PostbackSimulation

/// The subcommand `adsign simulate`.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Make reproducible postbacks, signed with test keys.",
        discussion: """
            Prints one postback a line. The same seed, options and keys give the same bytes, on every machine. Later \
            deliveries of a postback differ from the first one only in the conversion value and in the changes by relays. \
            A server counts them as test or development if the public keys are among the postback-keys of its key ring. \
            It never counts them as production.

            Examples:
              adsign keygen --curve p192 --out p192.pem
              adsign keygen --curve p256 --out p256.pem
              adsign simulate --seed 7 --count 20000 --key p192.pem \\
                --duplicates 0.1 --raises 0.05 --shuffle > postbacks.ndjson
              adsign simulate --seed 7 --count 20000 --key p192.pem --key p256.pem \\
                --key-name load-test-p256 --all > everything.ndjson

            --all uses every version and AdAttributionKit. If a share is not given, --all sets it: duplicates 0.05, raises \
            0.05, conflicts 0.02, losing 0.15, later windows 0.3, relay noise 0.1 and other spellings 0.02.

            A network buys on very many publishers, a few of which bring most installs:
              adsign simulate --seed 7 --count 20000 --key p256.pem --version 4.0 \\
                --tier-3-rate 1 --sources zipf:100000 --lines zipf:20000 \\
                --source-domain-rate 0.05 --domains zipf:5000

            --timeline models installs, users, windows, privacy tiers and deliveries over some months:
              adsign simulate --timeline --seed 7 --days 90 --key p192.pem --key p256.pem \\
                --truth truth.ndjson --copies copies.ndjson > archive.ndjson
            Each line has received-at, for PostbackServer import. The truth says what happened behind each postback.

            --deliver posts the lines instead of printing them, at a steady rate over connections that stay open. It shows \
            progress on standard error, and at the end the answers by status with their times; so does Ctrl-C. Times count \
            from the moment at which a postback was due. Nothing is tried twice, and no redirect is followed. The exit code \
            is 1 if an answer was not 200, or if there was none. The last line says how many were sent; or, if \
            some had no answer, how many were tried.
              adsign simulate --seed 7 --count 20000 --key p192.pem --rate 500 \\
                --deliver https://example.com
            A domain alone stands for its /.well-known/skadnetwork/report-attribution/.

            --app-store makes notifications of the App Store about purchases, renewals and refunds, under a test root whose \
            key is --key. --begin, --days, --truth, --shuffle and --deliver work with it, too:
              adsign simulate --app-store 200 --seed 7 --key store-root.pem \\
                --root store-root.crt --truth truth.json > notifications.ndjson
            docs/simulation.md says what happens to the customers.
            """)

    @Option(name: .long, help: "The seed of all random choices: 0 to 18446744073709551615.")
    var seed: UInt64

    @Option(name: .long, help: "The number of lines: 1 to 10000000. Needed without --timeline and --app-store.")
    var count: Int?

    @OptionGroup(title: "Keys")
    var keys: SimulationKeyOptions

    @Option(name: .long, help: "A version of SKAdNetwork; can be repeated. 2.0 by default.")
    var version: [String] = []

    @Flag(name: .long, help: "Also postbacks of AdAttributionKit; only these if no version is given.")
    var adAttributionKit = false

    @Flag(name: .long, help: "Every version and AdAttributionKit, with duplicates, raises, relays and so on.")
    var all = false

    @Option(name: .long, help: "A network; can be repeated. example123.skadnetwork by default; three with --timeline.")
    var adNetworkID: [String] = []

    @Option(name: .long, help: "An advertised app; can be repeated. Made-up ones by default: 3, or 5 with --timeline.")
    var appID: [Int64] = []

    @Option(name: .long, help: "The number of campaigns: 1 to 100; 100 by default.")
    var campaigns: Int?

    @OptionGroup(title: "Sources and lines: a number of equal ones, zipf:NUMBER by Zipf's law, or each:NUMBER in turn")
    var populations: SimulationPopulationOptions

    @OptionGroup(title: "Shares, 0 to 1")
    var shares: SimulationShareOptions

    @Flag(name: .long, help: "Put the lines in a random order; the seed decides it.")
    var shuffle = false

    @OptionGroup(title: "Delivery")
    var delivery: DeliveryOptions

    @OptionGroup(title: "A simulation in time")
    var timeline: TimelineOptions

    @OptionGroup(title: "Notifications of the App Store; shares are 0 to 1")
    var appStore: AppStoreOptions

    /// The number of bodies that one thread makes at a time.
    private static let chunk = 256
    private static let defaultNetwork = "example123.skadnetwork"

    func validate() throws {
        try checkAppStore()
    }

    func run() async throws {
        if appStore.isOn { return try await runAppStore() }
        if let target = delivery.deliver { return try await deliver(to: target.forPostbacks) }
        if timeline.isOn { try writeTimeline() } else { try writeDeliveries() }
    }

    private func writeDeliveries() throws {
        let simulator = try simulator()
        var start = 0
        let pipeline = OrderedPipeline {
            guard start < simulator.count else { return nil }
            defer { start += Self.chunk }
            return start..<min(start + Self.chunk, simulator.count)
        } work: { (range: Range<Int>) in
            var lines: [UInt8] = []
            for index in range {
                guard let body = try? simulator.body(at: index) else {
                    throw CommandError(.fault, "\(KeyError.unavailable)")
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

    func simulator() throws -> PostbackSimulator {
        let configuration: PostbackSimulator.Configuration
        do throws(FieldError) {
            configuration = try self.configuration()
        } catch {
            throw CommandError(option: error)
        }
        let curves = Set(configuration.kinds.compactMap { $0.layout()?.curve })
        let keys = try self.keys.read(for: curves)
        do throws(FieldError) {
            return try PostbackSimulator(
                configuration, keys: keys.production, developmentKeys: keys.development)
        } catch {
            throw CommandError(option: error)
        }
    }

    private func configuration() throws(FieldError) -> PostbackSimulator.Configuration {
        guard let count else { throw FieldError(field: "count", rule: "is missing") }
        var networks: [AdNetworkID] = []
        for text in adNetworkID.isEmpty ? [Self.defaultNetwork] : adNetworkID {
            networks.append(try Self.value("ad-network-id", text, AdNetworkID.rule) { AdNetworkID($0) })
        }
        var configuration =
            all
            ? PostbackSimulator.Configuration.everything(seed: seed, count: count, adNetworkIDs: networks)
            : PostbackSimulator.Configuration(seed: seed, count: count, adNetworkIDs: networks)
        var apps: [AppID] = []
        for integer in appID {
            apps.append(try Self.value("app-id", integer, AppID.rule) { AppID($0) })
        }
        if !apps.isEmpty { configuration.advertisedAppIDs = apps }
        let kinds = try kinds()
        if !kinds.isEmpty { configuration.kinds = all ? configuration.kinds + kinds : kinds }
        if let campaigns { configuration.lines = .campaigns(campaigns) }
        populations.set(in: &configuration)
        configuration.isShuffled = shuffle
        shares.set(in: &configuration)
        return configuration
    }

    private func kinds() throws(FieldError) -> [SimulatedKind] {
        var kinds: [SimulatedKind] = []
        for text in version {
            let version = try Self.value("version", text, SKAdNetworkVersion.rule) { SKAdNetworkVersion($0) }
            kinds.append(.skAdNetwork(version))
        }
        if adAttributionKit { kinds.append(.adAttributionKit) }
        return kinds
    }

    private static func value<Text, Value>(
        _ field: String, _ text: Text, _ rule: String, _ make: (Text) -> Value?
    ) throws(FieldError) -> Value {
        guard let value = make(text) else { throw FieldError(field: field, rule: "must be \(rule)", value: "\(text)") }
        return value
    }
}
