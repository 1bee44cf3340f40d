import Foundation
package import PostbackSimulation

/// A line of truth of a simulation in time; `docs/simulation.md` describes each member.
package struct TimelineTruth: Decodable, Sendable {
    package let transactionID: String
    package let adNetworkID: String
    package let sequenceIndex: Int
    package let didWin: Bool
    package let attributionProtocol: String
    package let version: String?
    package let appID: Int64
    package let conversionType: String
    package let campaignID: Int
    package let sourceIdentifier: String?
    package let sourceAppID: Int64?
    package let sourceDomain: String?
    package let country: String
    package let interaction: String
    package let installedAt: Int64?
    package let launchedAt: Int64
    package let lockedAt: Int64?
    package let reengagedAt: Int64?
    package let preparedAt: Int64
    package let sentAt: Int64
    package let receivedAt: Int64
    package let delayed: Bool
    package let tier: Int?
    package let crowd: Int?
    package let valueSetAt: Int64?
    package let model: String?
    package let modelNumber: Int?
    package let setFine: Int?
    package let setCoarse: String?
    package let sentFine: Int?
    package let sentCoarse: String?
    package let valueAllowed: Bool
    package let absence: String?
    package let revenueAtValue: Int64?
    package let revenueInWindow: Int64
    package let revenueToEnd: Int64
    package let revenueTotal: Int64

    enum CodingKeys: String, CodingKey {
        case version, country, interaction, delayed, tier, crowd, model, absence
        case transactionID = "transaction-id"
        case adNetworkID = "ad-network-id"
        case sequenceIndex = "sequence-index"
        case didWin = "did-win"
        case attributionProtocol = "protocol"
        case appID = "app-id"
        case conversionType = "conversion-type"
        case campaignID = "campaign-id"
        case sourceIdentifier = "source-identifier"
        case sourceAppID = "source-app-id"
        case sourceDomain = "source-domain"
        case installedAt = "installed-at"
        case launchedAt = "launched-at"
        case lockedAt = "locked-at"
        case reengagedAt = "re-engaged-at"
        case preparedAt = "prepared-at"
        case sentAt = "sent-at"
        case receivedAt = "received-at"
        case valueSetAt = "value-set-at"
        case modelNumber = "model-number"
        case setFine = "set-fine"
        case setCoarse = "set-coarse"
        case sentFine = "sent-fine"
        case sentCoarse = "sent-coarse"
        case valueAllowed = "value-allowed"
        case revenueAtValue = "revenue-at-value"
        case revenueInWindow = "revenue-in-window"
        case revenueToEnd = "revenue-to-end"
        case revenueTotal = "revenue-total"
    }

    /// Whether the version has windows and tiers.
    package var hasWindows: Bool { version.map { $0 == "4.0" } ?? true }

    /// The key of the postback, by which a body finds its truth.
    package var key: String { "\(transactionID.lowercased()) \(sequenceIndex) \(didWin)" }
}

/// All lines of a simulation in time.
package struct TimelineArchive: Sendable {
    /// The lines of the archive of the networks.
    package var network: [[UInt8]] = []
    /// The lines of the copies.
    package var copies: [[UInt8]] = []
    /// The lines of truth, as text and as values.
    package var truthLines: [[UInt8]] = []

    /// The truth.
    package func truth() throws -> [TimelineTruth] {
        try truthLines.map { try JSONDecoder().decode(TimelineTruth.self, from: Data($0)) }
    }
}

extension Timeline {
    /// All lines, signed on all cores.
    package func archive() async throws -> TimelineArchive {
        let deliveries = days().flatMap { $0 }
        let chunk = 500
        return try await withThrowingTaskGroup(of: (Int, TimelineArchive).self) { group in
            for start in stride(from: 0, to: deliveries.count, by: chunk) {
                group.addTask {
                    var archive = TimelineArchive()
                    for delivery in deliveries[start..<min(start + chunk, deliveries.count)] {
                        let lines = try self.lines(of: delivery)
                        if let line = lines.network { archive.network.append(line) }
                        if let line = lines.copy { archive.copies.append(line) }
                        if let line = lines.truth { archive.truthLines.append(line) }
                    }
                    return (start, archive)
                }
            }
            var parts: [Int: TimelineArchive] = [:]
            for try await (start, archive) in group { parts[start] = archive }
            return parts.sorted { $0.key < $1.key }.reduce(into: TimelineArchive()) { whole, part in
                whole.network += part.value.network
                whole.copies += part.value.copies
                whole.truthLines += part.value.truthLines
            }
        }
    }
}
