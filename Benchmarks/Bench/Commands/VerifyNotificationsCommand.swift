import AdAttribution
import AppStoreData
import ArgumentParser
import Foundation

/// `bench verify-notifications`: one core, bodies of notifications of the App Store in, typed ones out.
struct VerifyNotificationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-notifications",
        abstract: "Verify notifications of the App Store on one core, and print how many a second.")

    enum Chain: String, ExpressibleByArgument, CaseIterable {
        case cached
        case cold
    }

    @Argument(help: "cached, or cold: each notification proves the chain anew.")
    var chain: Chain

    @Argument(help: "A file with a body of version 2 a line.")
    var file: String

    @Option(name: .long, help: "The test root, in PEM.")
    var root: String

    @Option(name: .customLong("bundle-id"), help: "The app that all are of.")
    var bundleID: String

    @Option(name: .long, help: "How many seconds to measure.")
    var seconds = 1.0

    func run() throws {
        let certificate = try Certificate(pem: String(contentsOfFile: root, encoding: .utf8))
        let trust = StoreTrust(
            apps: [StoreApp(bundleID: bundleID, appID: nil)], sharedSecrets: [], testRoots: [certificate],
            accountKey: nil)
        let bodies = try Data(contentsOf: URL(filePath: file)).split(separator: UInt8(ascii: "\n")).map { Array($0) }
        guard !bodies.isEmpty else { throw BenchError.setUp }
        let now = Int64(Date.now.timeIntervalSince1970 * 1_000)
        let kept = SignedDataVerifier(trust: trust)
        let rate = try Stopwatch.rate(seconds: seconds, of: bodies) { body in
            let verifier = chain == .cached ? kept : SignedDataVerifier(trust: trust)
            return try StoreNotification(body: body, by: verifier, now: now).version == .v2
        }
        print(Int(rate))
    }
}
