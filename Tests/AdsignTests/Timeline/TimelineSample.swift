import AdAttribution
import Foundation
import PostbackSimulation
import TestSupport
import Testing

/// A simulation of some weeks, its lines read again: each postback with its truth.
struct TimelineSample: Sendable {
    /// A first delivery and the truth beside it.
    struct Pair: Sendable {
        let postback: Postback
        let truth: TimelineTruth

        var isKit: Bool { truth.version == nil }
    }

    let keys: TestKeys
    let archive: TimelineArchive
    /// All deliveries to networks.
    let deliveries: [ArchivedPostback]
    let pairs: [Pair]

    init(seed: UInt64 = 11, _ change: (inout TimelineSettings) -> Void = { _ in }) async throws {
        var settings = TimelineSettings()
        settings.days = 24
        settings.installsADay = 50
        settings.privacy.thresholds = [1, 3, 8]
        change(&settings)
        keys = try TestKeys()
        archive = try await keys.timeline(settings, seed: seed).archive()
        deliveries = try archive.network.map { try ArchivedPostback(parsing: $0) }
        let truth = try archive.truth()
        var first: [String: Postback] = [:]
        for delivery in deliveries where first[Self.key(delivery.postback)] == nil {
            first[Self.key(delivery.postback)] = delivery.postback
        }
        pairs = try truth.map { Pair(postback: try #require(first[$0.key]), truth: $0) }
        #expect(first.count == truth.count, "each postback has one line of truth")
    }

    /// The key of a postback that the truth has too.
    static func key(_ postback: Postback) -> String {
        "\(postback.transactionID.text.lowercased()) \(postback.sequenceIndex.value) \(postback.didWin)"
    }

    /// The postbacks of one install or re-engagement, which the truth does not name: by app and moment.
    var conversions: [[Pair]] {
        Dictionary(grouping: pairs) { "\($0.truth.appID) \($0.truth.launchedAt) \($0.truth.installedAt ?? 0)" }
            .values.map { $0 }
    }
}

/// Hours as milliseconds.
func hours(_ count: Int64) -> Int64 { count * 3_600_000 }
