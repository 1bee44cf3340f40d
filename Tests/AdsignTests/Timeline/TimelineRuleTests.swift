import AdAttribution
import PostbackSimulation
import TestSupport
import Testing

@Suite("A simulation in time keeps Apple's rules")
struct TimelineRuleTests {
    @Test("Up to 3.0 a postback comes at most 24 hours after the timer, which begins with the last raise of the value")
    func rollingTimer() async throws {
        let sample = try await TimelineSample { $0.versions = ["1.0": 1, "2.0": 1, "2.1": 1, "2.2": 1, "3.0": 3] }
        var restarted = 0
        for truth in sample.pairs.map(\.truth) where truth.didWin {
            let begin = truth.valueSetAt ?? truth.launchedAt
            #expect(truth.preparedAt == begin + hours(24) && truth.lockedAt == nil && truth.tier == nil)
            #expect((0...hours(24)).contains(truth.sentAt - truth.preparedAt))
            if begin > truth.launchedAt { restarted += 1 }
            if truth.model == "revenue" { #expect(begin < truth.launchedAt + hours(48)) }
            if truth.model == "revenue-by-day" { #expect(begin < truth.launchedAt + hours(96)) }
        }
        #expect(restarted > 50)
    }

    @Test("Windows begin with the launch and end on day 2, 7 or 35 or at the lock, and Apple's delays follow")
    func windows() async throws {
        let sample = try await TimelineSample {
            $0.versions = ["4.0": 1, "adattributionkit": 1]
            $0.apps = [.init(appID: 7, weight: 1, models: [.revenue(lock: 500)])]
        }
        let ends = [hours(48), hours(168), hours(840)]
        var locked: Set<Int> = []
        for truth in sample.pairs.map(\.truth) where truth.didWin {
            let end = truth.launchedAt + ends[truth.sequenceIndex]
            let begin = truth.sequenceIndex == 0 ? truth.launchedAt : truth.launchedAt + ends[truth.sequenceIndex - 1]
            if let lockedAt = truth.lockedAt {
                #expect(truth.preparedAt == lockedAt && lockedAt == truth.valueSetAt)
                #expect(try #require(truth.revenueAtValue) >= 500 && truth.revenueInWindow == truth.revenueAtValue)
                locked.insert(truth.sequenceIndex)
            } else {
                #expect(truth.preparedAt == end)
            }
            let latest = truth.sequenceIndex == 0 ? hours(48) : hours(144)
            #expect((hours(24)...latest).contains(truth.sentAt - truth.preparedAt))
            if let setAt = truth.valueSetAt { #expect((begin..<end).contains(setAt)) }
        }
        #expect(locked == [0, 1, 2])
    }

    @Test("A re-engagement ends the open window of AdAttributionKit at once, and no later window has a postback")
    func reengaged() async throws {
        let sample = try await TimelineSample {
            $0.versions = ["4.0": 1, "adattributionkit": 3]
            $0.reengagedShare = 0.5
            $0.losingShare = 1
        }
        var ended: Set<String> = []
        for conversion in sample.conversions {
            let truths = conversion.map(\.truth)
            guard let end = truths.compactMap(\.reengagedAt).min() else { continue }
            let (launch, last) = (truths[0].launchedAt, truths.map(\.sequenceIndex).max())
            for truth in truths {
                #expect(truth.version == nil && truth.preparedAt <= end && truth.valueSetAt.map { $0 < end } ?? true)
                guard let at = truth.reengagedAt else { continue }
                #expect(at == end && truth.preparedAt == at && truth.lockedAt == nil && truth.sequenceIndex == last)
                #expect(at > launch + [0, hours(48), hours(168)][truth.sequenceIndex])
                #expect(at <= launch + [hours(48), hours(168), hours(840)][truth.sequenceIndex])
                let latest = truth.sequenceIndex == 0 ? hours(48) : hours(144)
                #expect((hours(24)...latest).contains(truth.sentAt - at))
                ended.insert("\(truth.sequenceIndex) \(truth.didWin)")
            }
        }
        #expect(ended == ["0 true", "0 false", "1 true", "2 true"])
    }

    @Test("Each tier sends what Apple says: digits, value, source, country and marketplace")
    func tiers() async throws {
        let sample = try await TimelineSample {
            $0.installsADay = 80
            $0.versions = ["4.0": 1, "adattributionkit": 1]
            $0.webShare = 0.3
        }
        var seen: Set<String> = []
        for pair in sample.pairs where pair.truth.didWin {
            let (postback, truth) = (pair.postback, pair.truth)
            let tier = try #require(truth.tier)
            let digits = postback.campaign.text.count
            seen.insert("tier \(tier) window \(truth.sequenceIndex) digits \(digits)")
            #expect(truth.sequenceIndex == 0 || tier > 0)
            #expect(truth.sourceIdentifier?.hasSuffix(postback.campaign.text) == true)
            #expect(tier >= 2 && truth.sequenceIndex == 0 || digits == 2)
            let isCoarse = truth.sequenceIndex > 0 || tier == 1
            #expect(postback.conversionValue.fine == nil || !isCoarse && tier > 0)
            #expect(postback.conversionValue.coarse == nil || isCoarse && tier > 0)
            let isFull = tier == 3 && truth.sequenceIndex == 0
            #expect((postback.source != nil) == isFull)
            #expect((postback.countryCode != nil) == isFull)
            #expect((postback.marketplaceIdentifier != nil) == (pair.isKit && tier > 0))
            if isFull {
                #expect(postback.source?.appID?.value == truth.sourceAppID)
                #expect(postback.source?.domain?.text == truth.sourceDomain)
                seen.insert(truth.sourceDomain == nil ? "app" : "web")
                #expect(postback.countryCode?.text == truth.country)
            }
        }
        let expected: Set<String> = [
            "tier 0 window 0 digits 2", "tier 1 window 0 digits 2", "tier 2 window 0 digits 2",
            "tier 2 window 0 digits 3", "tier 2 window 0 digits 4", "tier 3 window 0 digits 2",
            "tier 3 window 0 digits 4", "tier 1 window 1 digits 2", "tier 3 window 2 digits 2", "app", "web",
        ]
        #expect(seen.isSuperset(of: expected), "\(expected.subtracting(seen))")
    }

    @Test("Up to 3.0 a small crowd withholds the value, and a middle one the source app")
    func thresholds() async throws {
        let sample = try await TimelineSample { $0.versions = ["2.0": 1, "3.0": 1] }
        var withheld = 0
        for pair in sample.pairs where pair.truth.didWin {
            let crowd = try #require(pair.truth.crowd)
            #expect((pair.postback.source != nil) == (crowd >= 8))
            #expect(pair.truth.valueAllowed == (crowd >= 3))
            #expect((pair.postback.conversionValue != .none) == (crowd >= 3 && pair.truth.setFine != nil))
            if pair.truth.absence == "privacy" { withheld += 1 }
        }
        #expect(withheld > 50)
    }

    @Test("Up to five other networks get one postback each, without value or source, and none for re-engagements")
    func assists() async throws {
        let sample = try await TimelineSample {
            $0.days = 5
            $0.networks = (1...8).map { .init(adNetworkID: "n\($0).skadnetwork", weight: 1) }
            $0.losingShare = 1
        }
        var counts: Set<Int> = []
        for conversion in sample.conversions {
            let losers = conversion.filter { !$0.truth.didWin }
            let winner = try #require(conversion.first { $0.truth.didWin })
            let version = winner.truth.version
            let hasAssists = version.map { $0 >= "3.0" } ?? (winner.truth.conversionType != "re-engagement")
            #expect(losers.count == (hasAssists ? 5 : 0))
            counts.insert(losers.count)
            #expect(Set(losers.map(\.truth.adNetworkID)).union([winner.truth.adNetworkID]).count == losers.count + 1)
            for loser in losers {
                #expect(loser.truth.sequenceIndex == 0 && loser.truth.absence == "not-applicable")
                #expect(loser.postback.conversionValue == .none && loser.postback.source == nil)
                #expect(loser.postback.countryCode == nil && loser.truth.lockedAt == nil)
                if loser.truth.hasWindows { #expect(loser.truth.preparedAt == loser.truth.launchedAt + hours(48)) }
            }
        }
        #expect(counts == [0, 5])
    }

    @Test("Views begin with 2.2, web ads are clicks, and a re-engagement is a click without an install")
    func interactions() async throws {
        let sample = try await TimelineSample { $0.reengagementShare = 0.5 }
        var reengagements = 0
        for pair in sample.pairs {
            let (postback, truth) = (pair.postback, pair.truth)
            let isView = truth.interaction == "view"
            if let type = postback.fidelityType { #expect((type == .viewThrough) == isView) }
            if pair.isKit { #expect((postback.adInteractionType == .view) == isView) }
            if let version = truth.version, version < "2.2" { #expect(!isView) }
            if truth.sourceDomain != nil { #expect(!isView && truth.version == "4.0") }
            #expect(postback.redownload.map { $0 == (truth.conversionType == "redownload") } ?? true)
            #expect(postback.conversionType.map { $0.rawValue == truth.conversionType } ?? true)
            #expect((truth.installedAt == nil) == (truth.conversionType == "re-engagement"))
            guard let installedAt = truth.installedAt else {
                #expect(pair.isKit && truth.didWin && !isView)
                reengagements += 1
                continue
            }
            #expect((0...hours(24 * 60)).contains(truth.launchedAt - installedAt))
        }
        #expect(reengagements > 100)
    }

    @Test("A later window has a postback only if the app updated a value in it, or if a setting says otherwise")
    func silentWindows() async throws {
        let later: (TimelineSample) -> [TimelineTruth] = { $0.pairs.map(\.truth).filter { $0.sequenceIndex > 0 } }
        let sample = try await TimelineSample { $0.versions = ["4.0": 1] }
        #expect(later(sample).count > 100 && later(sample).allSatisfy { $0.setCoarse != nil && $0.absence == nil })
        let silent = try await TimelineSample {
            $0.versions = ["4.0": 1]
            $0.silentWindowShare = 1
            $0.privacy = .random(share: 0)
        }
        let conversions = silent.pairs.count { $0.truth.didWin && $0.truth.sequenceIndex == 0 }
        #expect(later(silent).count == 2 * conversions)
        #expect(later(silent).contains { $0.absence == "app" })
    }
}
