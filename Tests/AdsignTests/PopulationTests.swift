import AdAttribution
import Foundation
import Testing

@testable import PostbackSimulation

@Suite("How often sources and lines come")
struct PopulationTests {
    @Test(
        "A population is read from a number, with the law before it, and printed so",
        arguments: [("20", Population.equal(20)), ("zipf:100000", .zipf(100_000)), ("each:7", .each(7))])
    func reading(text: String, population: Population) {
        #expect(Population(text) == population)
        #expect(population.text == text)
    }

    @Test(
        "Other texts are no population",
        arguments: [
            "", "0", "zipf:", "zipf:0", "zipf", "+5", "-5", "zipf:+5", "a:5", "zipf:5:5", "Zipf:5", "5 ", "5e3",
        ])
    func refusal(text: String) {
        #expect(Population(text) == nil)
    }

    @Test("By Zipf's law the nth of a hundred thousand has a share of 1/n of the first one's, to ten digits")
    func shares() {
        let count = 100_000
        let choice = WeightedChoice(zipf: count)
        // From the least to the greatest, so that nothing is lost in the sum.
        let harmonic = (1...count).reversed().reduce(0.0) { $0 + 1 / Double($1) }
        for rank in [1, 2, 3, 10, 999, 50_000, count] {
            let share = 1 / Double(rank) / harmonic
            #expect(abs(choice.share(of: rank - 1) / share - 1) < 1e-8, "rank \(rank)")
        }
        #expect(abs((0..<count).reduce(0.0) { $0 + choice.share(of: $1) } - 1) < 1e-10)
    }

    /// The seed decides the draws, so these tests always see the same numbers.
    private func draws(_ choice: PopulationChoice, _ count: Int, of size: Int, seed: UInt64) -> [Int] {
        var random = SeededRandom(seed: seed)
        var counts = Array(repeating: 0, count: size)
        for number in 0..<count { counts[choice.pick(&random, number: UInt32(number))] += 1 }
        return counts
    }

    @Test("Draws by Zipf's law fit it: chi-square of 500 ranks", arguments: [1, 2, 3] as [UInt64])
    func zipf(seed: UInt64) {
        let size = 500
        let total = 1_000_000
        let counts = draws(PopulationChoice(.zipf(size)), total, of: size, seed: seed)
        let harmonic = (1...size).reduce(0.0) { $0 + 1 / Double($1) }
        let square = counts.enumerated().reduce(0.0) { sum, entry in
            let expected = Double(total) / Double(entry.offset + 1) / harmonic
            return sum + (Double(entry.element) - expected) * (Double(entry.element) - expected) / expected
        }
        // 499 degrees of freedom: mean 499, deviation 31.6. One run in a thousand is above 600, and one below 400.
        #expect((400...600).contains(square), "\(square)")
        #expect(abs(Double(counts[0]) / Double(counts[9]) - 10) < 0.2)
    }

    @Test("Equal ones come equally often: chi-square of 500")
    func equal() {
        let counts = draws(PopulationChoice(.equal(500)), 1_000_000, of: 500, seed: 1)
        let square = counts.reduce(0.0) { $0 + (Double($1) - 2_000) * (Double($1) - 2_000) / 2_000 }
        #expect((400...600).contains(square), "\(square)")
    }

    @Test("In turn, each comes once before one comes twice")
    func each() {
        #expect(draws(PopulationChoice(.each(7)), 14, of: 7, seed: 1) == Array(repeating: 2, count: 7))
    }

    @Test(
        "No two places have the same number, and the first ones are not neighbours",
        arguments: [1, 2, 20, 999, 100_000])
    func numbers(count: Int) {
        let numbers = (0..<count).map(Population.zipf(count).number)
        #expect(Set(numbers) == Set(0..<count))
        if count > 900 { #expect(zip(numbers, numbers.dropFirst()).allSatisfy { abs($0 - $1) > 1 }) }
        #expect((0..<count).map(Population.equal(count).number) == Array(0..<count))
    }
}

@Suite("Populations of a simulation")
struct SimulatedPopulationTests {
    private func postbacks(
        count: Int, kinds: [SimulatedKind] = [.skAdNetwork(.v4_0)],
        _ change: (inout PostbackSimulator.Configuration) -> Void
    ) throws -> [Postback] {
        let network = try #require(AdNetworkID("example123.skadnetwork"))
        var configuration = PostbackSimulator.Configuration(seed: 9, count: count, adNetworkIDs: [network])
        configuration.kinds = kinds
        configuration.tier3Rate = 1
        configuration.sourceAppRate = 1
        change(&configuration)
        let keys = try SimulationKeys(p192: SigningKey.generate(.p192), p256: SigningKey.generate(.p256))
        return try PostbackSimulator(configuration, keys: keys).bodies().map { try Postback(parsing: $0) }
    }

    @Test("Sources come by their law, from the first number on, and so do domains")
    func sources() throws {
        let apps = try postbacks(count: 1_000) {
            $0.sources = .zipf(1_000)
            $0.sourceDomainRate = 0
            $0.firstSource = 7_001
        }.compactMap { $0.source?.appID?.value }
        #expect(apps.count == 1_000)
        #expect(apps.allSatisfy { (1_500_007_001...1_500_008_000).contains($0) })
        // A seventh and a half: the harmonic number of 1,000 is 7.485.
        #expect(abs(Double(apps.count { $0 == 1_500_007_001 }) - 133.6) < 30)
        let domains = try postbacks(count: 12) {
            $0.domains = .each(6)
            $0.sourceDomainRate = 1
        }.compactMap { $0.source?.domain?.text }
        let names = ["example.com", "example.org", "news.example.net"] + (4...6).map { "publisher\($0).example" }
        #expect(domains == names + names)
    }

    @Test("The share of domains and of tier 3 are about as asked for")
    func shares() throws {
        let web = try postbacks(count: 1_000) { $0.sourceDomainRate = 0.05 }
        #expect(abs(web.count { $0.source?.domain != nil } - 50) < 25)
        let named = try postbacks(count: 1_000) { $0.tier3Rate = 0.4 }
        #expect(abs(named.count { $0.source != nil } - 400) < 60)
        #expect(try postbacks(count: 100) { $0.tier3Rate = 0 }.allSatisfy { $0.source == nil })
    }

    @Test("A line is an app and an identifier, each pair once")
    func lines() throws {
        let three = [1, 2, 3].compactMap { AppID($0) }
        let whole = try postbacks(count: 30_000, kinds: [.skAdNetwork(.v4_0)]) {
            $0.advertisedAppIDs = three
            $0.lines = .population(.each(30_000))
        }.filter { $0.campaign.text.count == 4 }
        #expect(whole.count > 9_000)
        #expect(Set(whole.map { "\($0.advertisedAppID.value) \($0.campaign.text)" }).count == whole.count)
        let early = try postbacks(count: 300, kinds: [.skAdNetwork(.v2_0)]) {
            $0.advertisedAppIDs = three
            $0.lines = .population(.each(300))
        }
        #expect(Set(early.map { "\($0.advertisedAppID.value) \($0.campaign.text)" }).count == 300)
    }

    @Test("There are at most as many lines as the apps can have, and each population has a greatest number")
    func limits() {
        func refusal(_ change: (inout PostbackSimulator.Configuration) -> Void) -> String? {
            do {
                _ = try postbacks(count: 1, kinds: [.skAdNetwork(.v2_0)], change)
                return nil
            } catch {
                return (error as? FieldError)?.field
            }
        }
        #expect(refusal { $0.lines = .population(.equal(301)) } == "lines")
        #expect(
            refusal {
                $0.kinds = [.skAdNetwork(.v4_0)]; $0.lines = .population(.equal(30_001))
            } == "lines")
        #expect(
            refusal {
                $0.kinds = [.skAdNetwork(.v4_0)]; $0.lines = .population(.equal(30_000))
            } == nil)
        #expect(refusal { $0.lines = .campaigns(101) } == "campaigns")
        #expect(refusal { $0.sources = .zipf(1_000_001) } == "sources")
        #expect(refusal { $0.sources = .equal(1_000_000_000) } == nil)
        #expect(refusal { $0.domains = .equal(0) } == "domains")
        #expect(refusal { $0.firstSource = 0 } == "first-source")
        #expect(refusal { $0.tier3Rate = 1.1 } == "tier-3-rate")
    }

    @Test("Another occasion gives the same postbacks under other transaction ids")
    func occasions() throws {
        func postbacks(_ occasion: UInt64) throws -> [Postback] {
            try self.postbacks(count: 200) {
                $0.sources = .zipf(1_000)
                $0.lines = .population(.zipf(2_000))
                $0.occasion = occasion
            }
        }
        let first = try postbacks(0)
        let second = try postbacks(1)
        #expect(Set(first.map(\.transactionID.text)).isDisjoint(with: second.map(\.transactionID.text)))
        #expect(first.map(\.source) == second.map(\.source))
        #expect(first.map(\.campaign) == second.map(\.campaign))
        #expect(first.map(\.conversionValue) == second.map(\.conversionValue))
    }
}
