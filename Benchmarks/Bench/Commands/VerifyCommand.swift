import AdAttribution
import ArgumentParser
import Foundation
import PostbackSimulation

/// `bench verify`: one core, JSON bytes in, verdict out; and parsing alone.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify or parse postbacks on one core, and print how many a second.")

    enum Mode: String, ExpressibleByArgument, CaseIterable {
        case single
        case batch
        case parse
        case decoder
    }

    @Argument(help: "2.0, 4.0 or adattributionkit.")
    var kind: String

    @Argument(help: "single, batch, parse, or decoder, the baseline of parse.")
    var mode: Mode

    @Option(name: .long, help: "How many seconds to measure.")
    var seconds = 1.0

    @Option(name: .long, help: "How many postbacks a batch has.")
    var batch = 500

    func run() throws {
        guard let kind = SimulatedKind(benchName: kind) else { throw ValidationError("no such kind") }
        let postbacks = try Postbacks(kind, count: 20_000)
        print(Int(try rate(postbacks)))
    }

    private func rate(_ postbacks: Postbacks) throws -> Double {
        let bodies = postbacks.bodies
        let keys = OrderedPostbackKeys([postbacks.key])
        switch mode {
        case .single:
            return try Stopwatch.rate(seconds: seconds, of: bodies) { body in
                var postbacks = [try Postback(parsing: body)]
                return keys.find(for: &postbacks).allSatisfy { $0 != nil }
            }
        case .batch:
            let batches = stride(from: 0, to: bodies.count, by: batch).map { start in
                Array(bodies[start..<min(start + batch, bodies.count)])
            }
            let batchesPerSecond = try Stopwatch.rate(seconds: seconds, of: batches) { bodies in
                var postbacks = try bodies.map { try Postback(parsing: $0) }
                return keys.find(for: &postbacks).allSatisfy { $0 != nil }
            }
            return batchesPerSecond * Double(batch)
        case .parse:
            return try Stopwatch.rate(seconds: seconds, of: bodies) { body in
                try Postback(parsing: body).advertisedAppID.value > 0
            }
        case .decoder:
            let decoder = JSONDecoder()
            let datas = bodies.map { Data($0) }
            return try Stopwatch.rate(seconds: seconds, of: datas) { data in
                try decoder.decode(DecodablePostback.self, from: data).appID > 0
            }
        }
    }
}

extension SimulatedKind {
    init?(benchName name: String) {
        if name == "adattributionkit" {
            self = .adAttributionKit
        } else if let version = SKAdNetworkVersion(name) {
            self = .skAdNetwork(version)
        } else {
            return nil
        }
    }
}

/// The baseline of parsing: what a reader of Apple's documentation would write.
private struct DecodablePostback: Decodable {
    let version: String
    let adNetworkID: String
    let campaignID: Int?
    let sourceIdentifier: String?
    let appID: Int
    let transactionID: UUID
    let redownload: Bool
    let sourceAppID: Int?
    let sourceDomain: String?
    let fidelityType: Int?
    let didWin: Bool?
    let postbackSequenceIndex: Int?
    let conversionValue: Int?
    let coarseConversionValue: String?
    let countryCode: String?
    let attributionSignature: Data

    enum CodingKeys: String, CodingKey {
        case version
        case adNetworkID = "ad-network-id"
        case campaignID = "campaign-id"
        case sourceIdentifier = "source-identifier"
        case appID = "app-id"
        case transactionID = "transaction-id"
        case redownload
        case sourceAppID = "source-app-id"
        case sourceDomain = "source-domain"
        case fidelityType = "fidelity-type"
        case didWin = "did-win"
        case postbackSequenceIndex = "postback-sequence-index"
        case conversionValue = "conversion-value"
        case coarseConversionValue = "coarse-conversion-value"
        case countryCode = "country-code"
        case attributionSignature = "attribution-signature"
    }
}
