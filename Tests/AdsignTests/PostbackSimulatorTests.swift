import AdAttribution
import Foundation
import PostbackSimulation
import Testing

@Suite("The postback simulator")
struct PostbackSimulatorTests {
    private func simulator(
        count: Int, _ change: (inout PostbackSimulator.Configuration) -> Void
    ) throws -> PostbackSimulator {
        let network = try #require(AdNetworkID("example123.skadnetwork"))
        var configuration = PostbackSimulator.Configuration(seed: 42, count: count, adNetworkIDs: [network])
        change(&configuration)
        return try PostbackSimulator(configuration, keys: SimulationKeys(try SigningKey.generate(.p192)))
    }

    /// Duplicates and raises, counted as a receiver would: one by one, by transaction.
    private func recount(_ postbacks: [Postback]) -> (first: Int, duplicates: Int, raises: Int, highest: [UUID: Int]) {
        var highest: [UUID: Int] = [:]
        var duplicates = 0
        var raises = 0
        for postback in postbacks {
            let value = (postback.conversionValue.fine?.value).map { Int($0) } ?? -1
            if let before = highest[postback.transactionID.uuid] {
                if value > before { raises += 1 } else { duplicates += 1 }
            }
            highest[postback.transactionID.uuid] = max(value, highest[postback.transactionID.uuid] ?? -1)
        }
        return (highest.count, duplicates, raises, highest)
    }

    @Test(
        "There are as many duplicates and raises as asked for",
        arguments: [(0.1, 0.05), (0, 0), (0.5, 0.25), (0, 0.5), (0.9, 0)])
    func shares(duplicates: Double, raises: Double) throws {
        let simulator = try simulator(count: 400) {
            $0.duplicates = duplicates
            $0.raises = raises
        }
        let counted = recount(try simulator.bodies().map { try Postback(parsing: $0) })
        #expect(counted.duplicates == Int(400 * duplicates) && counted.duplicates == simulator.duplicates)
        #expect(counted.raises == Int(400 * raises) && counted.raises == simulator.raises)
        #expect(counted.first == simulator.firstDeliveries)
    }

    @Test("If there are as many raises as first deliveries, each finds a value to raise", arguments: [2, 4, 10, 100])
    func extremeRaises(count: Int) throws {
        for seed in 0..<20 as Range<UInt64> {
            let simulator = try simulator(count: count) {
                $0.seed = seed
                $0.raises = 0.5
                $0.conversionValueRate = 1
            }
            #expect(recount(try simulator.bodies().map { try Postback(parsing: $0) }).raises == count / 2)
        }
    }

    @Test("Shuffling permutes the deliveries and changes none")
    func shuffling() throws {
        let key = try SigningKey.generate(.p192)
        var configuration = PostbackSimulator.Configuration(
            seed: 5, count: 300, adNetworkIDs: [try #require(AdNetworkID("a.skadnetwork"))])
        configuration.duplicates = 0.2
        configuration.raises = 0.1
        let ordered = try PostbackSimulator(configuration, keys: SimulationKeys(key)).bodies()
        configuration.isShuffled = true
        let shuffled = try PostbackSimulator(configuration, keys: SimulationKeys(key)).bodies()
        #expect(ordered != shuffled)
        let text: ([UInt8]) -> String = { String(decoding: $0, as: UTF8.self) }
        #expect(ordered.map(text).sorted() == shuffled.map(text).sorted())
        let parse: ([UInt8]) throws -> Postback = { try Postback(parsing: $0) }
        #expect(recount(try ordered.map(parse)).highest == recount(try shuffled.map(parse)).highest)
    }

    @Test("The shares of fields are about as asked for, and campaigns cover their range")
    func distribution() throws {
        let postbacks = try simulator(count: 2_000) { _ in }.bodies().map { try Postback(parsing: $0) }
        let share: ((Postback) -> Bool) -> Double = { Double(postbacks.count(where: $0)) / 2_000 }
        #expect(abs(share { $0.source != nil } - 0.8) < 0.04)
        #expect(abs(share { $0.conversionValue.fine != nil } - 0.7) < 0.04)
        #expect(abs(share { $0.redownload == true } - 0.2) < 0.04)
        #expect(Set(postbacks.map(\.campaign.text)).count == 100)
        #expect(!postbacks.contains { $0.source?.appID == .development })
    }

    @Test("A body's values are in their ranges, and only versions of the table can be simulated")
    func limits() throws {
        let simulator = try simulator(count: 3) { _ in }
        #expect(try simulator.body(at: 3) == nil)
        #expect(try simulator.body(at: -1) == nil)
        #expect(throws: FieldError.self) {
            let version = try #require(SKAdNetworkVersion("9.9"))
            _ = try self.simulator(count: 3) { $0.kinds = [.skAdNetwork(version)] }
        }
        #expect(throws: FieldError.self) {
            _ = try self.simulator(count: 3) { $0.kinds = SimulatedKind.all }
        }
    }
}
