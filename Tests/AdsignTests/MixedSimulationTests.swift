import AdAttribution
import Foundation
import PostbackSimulation
import TestSupport
import Testing

@Suite("A mixed simulation")
struct MixedSimulationTests {
    private let keys: TestKeys

    init() throws {
        keys = try TestKeys()
    }

    private func simulator(
        count: Int, seed: UInt64 = 1, _ change: (inout PostbackSimulator.Configuration) -> Void = { _ in }
    ) throws -> PostbackSimulator {
        var configuration = PostbackSimulator.Configuration.everything(
            seed: seed, count: count, adNetworkIDs: [try #require(AdNetworkID("example123.skadnetwork"))])
        configuration.relayNoiseRate = 0.3
        configuration.otherSpellingRate = 0.05
        configuration.developmentRate = 0.1
        change(&configuration)
        return try keys.simulator(configuration)
    }

    @Test("Every body verifies with the values that were simulated, whatever relays changed")
    func verifies() throws {
        let simulator = try simulator(count: 4_000)
        var noisy = 0
        for index in 0..<simulator.count {
            let delivery = try #require(try simulator.delivery(at: index))
            let text = String(decoding: delivery.body, as: UTF8.self)
            let verified = try keys.verified(delivery.body)
            let postback = verified.postback
            switch delivery.kind {
            case .skAdNetwork(let version): #expect(postback.version == version)
            case .adAttributionKit: #expect(postback.attributionProtocol == .adAttributionKit)
            }
            #expect(postback.didWin == delivery.didWin)
            #expect(Int(postback.sequenceIndex.value) == delivery.window)
            #expect(postback.conversionValue == delivery.offered, "\(text)")
            #expect(postback.isRelayNormalised == delivery.isRelayNormalised, "\(text)")
            #expect(verified.environment == (delivery.isDevelopment ? .development : .test))
            #expect(!verified.isDeveloperCopy)
            if delivery.isRelayNormalised { noisy += 1 }
        }
        #expect(noisy > 100)
    }

    @Test("Every kind, tier, window and spelling occurs, with the fields that Apple sends there")
    func coverage() throws {
        let simulator = try simulator(count: 6_000) {
            $0.relayNoiseRate = 0
            $0.conflicts = 0
        }
        var seen: Set<String> = []
        for body in try simulator.bodies() {
            let postback = try Postback(parsing: body)
            let kind = postback.version?.description ?? "kit"
            seen.insert(kind)
            seen.insert("\(kind) window \(postback.sequenceIndex.value) \(postback.didWin)")
            if let domain = postback.source?.domain { seen.insert("web \(domain.text)") }
            if let type = postback.conversionType { seen.insert(type.rawValue) }
            if let type = postback.adInteractionType { seen.insert(type.rawValue) }
            seen.insert(postback.adNetworkID.text)
            if !postback.didWin {
                #expect(postback.conversionValue == .none && postback.source == nil && postback.sequenceIndex == .first)
            }
            guard kind == "4.0" || kind == "kit" else { continue }
            seen.insert("\(postback.campaign.text.count) digits")
            if postback.sequenceIndex != .first {
                #expect(postback.campaign.text.count == 2 && postback.conversionValue.fine == nil)
            }
            if postback.conversionValue.coarse != nil { #expect(postback.campaign.text.count == 2) }
            if postback.source == nil { #expect(postback.countryCode == nil || postback.didWin) }
        }
        let expected: Set<String> = [
            "1.0", "2.0", "2.1", "2.2", "3.0", "4.0", "kit", "3.0 window 0 false", "4.0 window 0 false",
            "kit window 0 false", "4.0 window 1 true", "4.0 window 2 true", "kit window 2 true", "web example.org",
            "download", "redownload", "re-engagement", "view", "click", "2 digits", "3 digits", "4 digits",
            "example123.skadnetwork", "Example123.adattributionkit",
        ]
        #expect(seen.isSuperset(of: expected), "\(expected.subtracting(seen))")
        #expect(!seen.contains("3.0 window 1 true"))
    }

    @Test("A delivery is the same by itself and in the sequence, and the plan's numbers are right")
    func order() throws {
        let simulator = try simulator(count: 1_500) { $0.isShuffled = true }
        let bodies = try simulator.bodies()
        for index in stride(from: 1_499, through: 0, by: -7) {
            #expect(try simulator.body(at: index) == bodies[index])
        }
        #expect(try self.simulator(count: 1_500) { $0.isShuffled = true }.bodies() == bodies)
        #expect(try self.simulator(count: 1_500, seed: 2) { $0.isShuffled = true }.bodies() != bodies)
        let numbers = Set(try bodies.indices.compactMap { try simulator.delivery(at: $0)?.postbackNumber })
        #expect(numbers.count == simulator.firstDeliveries)
        #expect(simulator.duplicates == 75 && simulator.raises == 75 && simulator.conflicts == 30)
    }

    @Test("If no value can be raised, there are no raises, and the simulator says so")
    func nothingToRaise() throws {
        let simulator = try simulator(count: 200) {
            $0.kinds = [.skAdNetwork(.v1_0)]
            $0.raises = 0.3
            $0.conflicts = 0.1
        }
        #expect(simulator.raises == 0 && simulator.conflicts == 0)
        #expect(simulator.firstDeliveries + simulator.duplicates == 200)
    }
}
