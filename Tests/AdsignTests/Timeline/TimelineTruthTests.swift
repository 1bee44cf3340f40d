import AdAttribution
import Foundation
import PostbackSimulation
import TestSupport
import Testing

@Suite("The truth of a simulation in time")
struct TimelineTruthTests {
    @Test("Every body verifies, comes in the order of time, and is what its line of truth says")
    func agrees() async throws {
        let sample = try await TimelineSample {
            $0.relayShare = 0.3
            $0.retryShare = 0.2
            $0.networks = [.init(adNetworkID: "example123.skadnetwork", weight: 1)]
        }
        var last: Int64 = 0
        for delivery in sample.deliveries {
            let verified = try sample.keys.verifier.verify(delivery.postback)
            #expect(verified.environment == .test)
            let at = try #require(delivery.receivedAt).milliseconds
            #expect(at >= last)
            last = at
        }
        #expect(sample.deliveries.contains { $0.postback.isRelayNormalised })
        for pair in sample.pairs {
            let (postback, truth) = (pair.postback, pair.truth)
            #expect(postback.adNetworkID.text == truth.adNetworkID)
            #expect(postback.advertisedAppID.value == truth.appID)
            #expect(postback.version?.description == truth.version)
            #expect(postback.attributionProtocol.rawValue == truth.attributionProtocol)
            #expect((postback.conversionValue.fine?.value).map { Int($0) } == truth.sentFine)
            #expect(postback.conversionValue.coarse?.rawValue == truth.sentCoarse)
            if !truth.hasWindows { #expect(postback.campaign.text == String(truth.campaignID)) }
        }
    }

    @Test("What was sent is what the app set, unless privacy withheld it, the app set nothing, or there can be none")
    func absence() async throws {
        let sample = try await TimelineSample()
        var kinds: [String: Int] = [:]
        for truth in sample.pairs.map(\.truth) {
            kinds[truth.absence ?? "none", default: 0] += 1
            switch truth.absence {
            case nil:
                #expect(truth.valueAllowed)
                #expect(truth.sentFine == nil || truth.sentFine == truth.setFine)
                #expect(truth.sentCoarse == nil || truth.sentCoarse == truth.setCoarse)
                #expect((truth.sentFine == nil) != (truth.sentCoarse == nil))
            case "privacy": #expect(!truth.valueAllowed && truth.setFine != nil)
            case "app": #expect(truth.setFine == nil && truth.setCoarse == nil && truth.valueSetAt == nil)
            default: #expect(!truth.didWin || truth.version == "1.0")
            }
            if truth.absence != nil { #expect(truth.sentFine == nil && truth.sentCoarse == nil) }
            if truth.appID == 1_588_000_002 { #expect(truth.valueSetAt == nil) }
            #expect((truth.model == nil) == (truth.valueSetAt == nil))
            #expect(truth.revenueInWindow <= truth.revenueToEnd && truth.revenueToEnd <= truth.revenueTotal)
            #expect(truth.revenueAtValue.map { $0 <= truth.revenueInWindow } ?? true)
        }
        #expect(Set(kinds.keys) == ["none", "privacy", "app", "not-applicable"], "\(kinds)")
    }

    @Test("A value means what the model of its moment says, and the model changes at the given days")
    func models() async throws {
        let bounds: [Int64] = [1, 500]
        let sample = try await TimelineSample {
            $0.apps = [
                .init(
                    appID: 7, weight: 1,
                    models: [
                        .revenue(buckets: bounds), .revenueByDay(fromDay: 8), .revenue(fromDay: 16, buckets: [1]),
                    ])
            ]
            $0.silentShare = 0
        }
        // 2026-07-01.
        let begin: Int64 = 1_782_864_000_000
        let thresholds = try #require(RevenueThresholds(medium: 200, high: 1_000))
        let all: [any ValueModel] = [
            try #require(RevenueModel(lowerBounds: bounds, thresholds: thresholds)),
            try #require(
                RevenueByDayModel(
                    lowerBounds: [1, 150, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000], thresholds: thresholds)),
            try #require(RevenueModel(lowerBounds: [1], thresholds: thresholds)),
        ]
        var used: Set<Int> = []
        for truth in sample.pairs.map(\.truth) {
            guard let setAt = truth.valueSetAt, let number = truth.modelNumber else { continue }
            let changes = [begin + hours(192), begin + hours(384)]
            #expect(number == changes.count { $0 <= setAt })
            #expect(truth.model == all[number].name)
            let state = UserState(
                sinceLaunch: Milliseconds(setAt - truth.launchedAt), revenue: try #require(truth.revenueAtValue))
            if let fine = truth.setFine { #expect(all[number].fine(state).value == fine) }
            if let coarse = truth.setCoarse { #expect(all[number].coarse(state).rawValue == coarse) }
            used.insert(number)
        }
        #expect(used == [0, 1, 2])
    }

    @Test("Values withheld at random are independent of everything, and the users stay the same")
    func atRandom() async throws {
        let crowds = try await TimelineSample { $0.versions = ["4.0": 1, "2.1": 1] }
        let random = try await TimelineSample {
            $0.versions = ["4.0": 1, "2.1": 1]
            $0.privacy = .random(share: 0.3)
        }
        let first = random.pairs.map(\.truth).filter { $0.didWin && $0.sequenceIndex == 0 }
        let share = Double(first.count { !$0.valueAllowed }) / Double(first.count)
        #expect(abs(share - 0.3) < 0.05)
        #expect(first.allSatisfy { $0.crowd == nil })
        #expect(Set(first.compactMap(\.tier)) == [0, 3])
        func users(_ sample: TimelineSample) -> Set<String> {
            Set(sample.pairs.map { "\($0.truth.launchedAt) \($0.truth.revenueTotal)" })
        }
        #expect(users(random) == users(crowds) && users(random).count > 500)
    }

    @Test("The share of delayed postbacks arrives up to nine days late, and a retry follows within nine days")
    func deliveries() async throws {
        let sample = try await TimelineSample {
            $0.delayedShare = 0.3
            $0.retryShare = 0.2
        }
        let truth = sample.pairs.map(\.truth)
        let delayed = truth.filter(\.delayed)
        let delayedShare = Double(delayed.count) / Double(truth.count)
        #expect(abs(delayedShare - 0.3) < 0.05)
        #expect(delayed.allSatisfy { (hours(1)..<hours(216)).contains($0.receivedAt - $0.sentAt) })
        #expect(truth.allSatisfy { $0.delayed || $0.receivedAt == $0.sentAt })
        let retryShare = Double(sample.deliveries.count - truth.count) / Double(truth.count)
        #expect(abs(retryShare - 0.2) < 0.05)
        let sentAt = Dictionary(uniqueKeysWithValues: truth.map { ($0.key, $0) })
        var seen: Set<String> = []
        for delivery in sample.deliveries {
            let key = TimelineSample.key(delivery.postback)
            let at = try #require(delivery.receivedAt).milliseconds
            let line = try #require(sentAt[key])
            if seen.insert(key).inserted {
                #expect(at == line.receivedAt)
            } else {
                #expect(at > line.receivedAt && at <= line.sentAt + hours(216))
            }
        }
    }

    @Test("Developers get a copy of each winning postback from 2.0 on, with the same bytes, when the device sends it")
    func copies() async throws {
        let sample = try await TimelineSample {
            $0.delayedShare = 0.2
            $0.apps[0].copies = false
        }
        func body(_ line: [UInt8]) -> String {
            String(decoding: line, as: UTF8.self).replacing(/,"received-at":[0-9]+}/, with: "}")
        }
        let copies = try sample.archive.copies.map { try ArchivedPostback(parsing: $0) }
        let expected = sample.pairs.filter {
            $0.truth.didWin && $0.truth.version != "1.0" && $0.truth.appID != 525_463_029
        }
        #expect(copies.count == expected.count)
        #expect(Set(sample.archive.copies.map(body)) == Set(expected.map { body($0.postback.body) }))
        let sentAt = Dictionary(uniqueKeysWithValues: sample.pairs.map { ($0.truth.key, $0.truth.sentAt) })
        for copy in copies {
            #expect(copy.receivedAt?.milliseconds == sentAt[TimelineSample.key(copy.postback)])
        }
        let times: [Int64] = copies.map { $0.receivedAt?.milliseconds ?? 0 }
        #expect(times == times.sorted())
    }

    @Test("The same seed and settings give the same lines, and another seed gives others")
    func deterministic() async throws {
        let keys = try TestKeys()
        var settings = TimelineSettings()
        settings.days = 4
        settings.installsADay = 40
        settings.relayShare = 0.2
        let first = try await keys.timeline(settings, seed: 1).archive()
        let second = try await keys.timeline(settings, seed: 1).archive()
        let other = try await keys.timeline(settings, seed: 2).archive()
        #expect(first.network == second.network && first.truthLines == second.truthLines)
        #expect(first.copies == second.copies && !first.copies.isEmpty)
        #expect(Set(first.network).isDisjoint(with: other.network))
        let withoutCopies = try await keys.timeline(settings, seed: 1, hasCopies: false).archive()
        #expect(withoutCopies.network == first.network && withoutCopies.copies.isEmpty)
    }
}
