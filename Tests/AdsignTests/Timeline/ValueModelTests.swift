import AdAttribution
import PostbackSimulation
import Testing

@Suite("The value models of the simulator")
struct ValueModelTests {
    private let thresholds: RevenueThresholds

    init() throws {
        thresholds = try #require(RevenueThresholds(medium: 200, high: 1_000, lock: 2_000))
    }

    private func state(_ cents: Int64, hours: Int = 0) -> UserState {
        UserState(sinceLaunch: .hours(hours), revenue: cents)
    }

    @Test(
        "The model revenue has 0 for no revenue, and the number of the bucket above",
        arguments: [(0, 0), (1, 1), (99, 1), (100, 2), (499, 2), (500, 3), (1_000_000, 3)] as [(Int64, UInt8)])
    func revenue(cents: Int64, value: UInt8) throws {
        let model = try #require(RevenueModel(lowerBounds: [1, 100, 500], thresholds: thresholds))
        #expect(model.fine(state(cents, hours: 40)).value == value)
    }

    @Test(
        "The model revenue-by-day has the bucket in bits 0 to 3 and the day in bits 4 and 5",
        arguments: [(0, 0, 0), (0, 24, 16), (100, 23, 2), (100, 47, 18), (500, 95, 51), (500, 200, 51)]
            as [(Int64, Int, UInt8)])
    func revenueByDay(cents: Int64, hours: Int, value: UInt8) throws {
        let model = try #require(RevenueByDayModel(lowerBounds: [1, 100, 500], thresholds: thresholds))
        #expect(model.fine(state(cents, hours: hours)).value == value)
    }

    @Test("Coarse values and locks follow their thresholds")
    func coarse() throws {
        let model = try #require(RevenueModel(lowerBounds: [1], thresholds: thresholds))
        let values = [0, 199, 200, 999, 1_000].map { model.coarse(state($0)) }
        #expect(values == [.low, .low, .medium, .medium, .high])
        #expect(!model.locks(state(1_999)) && model.locks(state(2_000)))
    }

    @Test("A model that its bits can't hold is refused, and so are bounds that do not ascend")
    func refused() throws {
        #expect(RevenueModel(lowerBounds: Array(1...63), thresholds: thresholds) != nil)
        #expect(RevenueModel(lowerBounds: Array(1...64), thresholds: thresholds) == nil)
        #expect(RevenueByDayModel(lowerBounds: Array(1...16), thresholds: thresholds) == nil)
        #expect(
            RevenueByDayModel(lowerBounds: [1], thresholds: thresholds, measurementWindow: .hours(97)) == nil)
        for bounds in [[], [0], [5, 5], [5, 4]] as [[Int64]] {
            #expect(RevenueModel(lowerBounds: bounds, thresholds: thresholds) == nil)
        }
        #expect(RevenueThresholds(medium: 2, high: 2) == nil)
        #expect(RevenueThresholds(medium: 1, high: 2, lock: 0) == nil)
    }
}
