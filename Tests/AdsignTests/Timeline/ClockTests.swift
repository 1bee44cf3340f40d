import AdAttribution
import Testing

@testable import PostbackSimulation

@Suite("The clocks of a conversion")
struct ClockTests {
    private let launch = Moment(milliseconds: 1_782_864_000_000)

    private func update(_ hours: Int, _ fine: Int, locks: Bool = false) -> ValueUpdate {
        ValueUpdate(
            at: launch + .hours(hours), era: 0, fine: ConversionValue(clamping: fine), coarse: .low, locks: locks,
            revenue: 0)
    }

    @Test("Up to 3.0, a strictly higher value restarts the timer of 24 hours, and an equal or lower one does not")
    func rollingTimer() {
        var timer = RollingTimer(launch: launch)
        #expect(timer.expires == launch + .hours(24) && timer.value == nil)
        timer.update(update(0, 0))
        timer.update(update(10, 5))
        #expect(timer.expires == launch + .hours(34))
        timer.update(update(20, 5))
        timer.update(update(21, 3))
        #expect(timer.expires == launch + .hours(34) && timer.value?.at == launch + .hours(10))
        timer.update(update(33, 6))
        #expect(timer.expires == launch + .hours(57) && timer.value?.fine.value == 6)
    }

    @Test("After the timer has expired an update has no effect")
    func expired() {
        var timer = RollingTimer(launch: launch)
        timer.update(update(24, 63))
        #expect(timer.expires == launch + .hours(24) && timer.value == nil)
    }

    @Test("In a window the last value counts, also if it is lower, and the window ends when it must")
    func window() {
        let window = ConversionWindow.all[0]
        let outcome = window.outcome(of: [update(0, 0), update(5, 9), update(47, 2)], launch: launch)
        #expect(outcome.value?.fine.value == 2)
        #expect(outcome.preparedAt == launch + .days(2) && outcome.lockedAt == nil)
        let silent = window.outcome(of: [], launch: launch)
        #expect(silent.value == nil && silent.preparedAt == launch + .days(2))
    }

    @Test("A lock ends the window at once, and later updates are ignored")
    func lock() {
        let updates = [update(50, 1), update(60, 4, locks: true), update(61, 63), update(62, 5, locks: true)]
        let outcome = ConversionWindow.all[1].outcome(of: updates, launch: launch)
        #expect(outcome.value?.fine.value == 4)
        #expect(outcome.lockedAt == launch + .hours(60) && outcome.preparedAt == launch + .hours(60))
    }

    @Test("The windows are days 0 to 2, 3 to 7 and 8 to 35, with Apple's delays")
    func windows() {
        #expect(ConversionWindow.all.map(\.range.lowerBound) == [.days(0), .days(2), .days(7)])
        #expect(ConversionWindow.all.map(\.range.upperBound) == [.days(2), .days(7), .days(35)])
        #expect(ConversionWindow.all.map(\.delay.lowerBound) == [.hours(24), .hours(24), .hours(24)])
        #expect(ConversionWindow.all.map(\.delay.upperBound) == [.hours(48), .hours(144), .hours(144)])
    }

    @Test("An app updates values at each open and each purchase of a window, with the model of that moment")
    func updates() throws {
        let thresholds = try #require(RevenueThresholds(medium: 200, high: 1_000))
        let first = try #require(RevenueModel(lowerBounds: [1], thresholds: thresholds))
        let second = try #require(RevenueByDayModel(lowerBounds: [1, 500], thresholds: thresholds))
        let models = try #require(
            AppModels([.init(from: nil, model: first), .init(from: launch + .hours(30), model: second)]))
        let user = UserActivity(events: [
            .init(at: .hours(0), cents: 0), .init(at: .hours(1), cents: 300), .init(at: .hours(31), cents: 0),
            .init(at: .hours(32), cents: 900), .init(at: .hours(50), cents: 100), .init(at: .hours(200), cents: 0),
        ])
        let zero = user.updates(in: .days(0) ..< .days(2), launch: launch, models: models, measures: false)
        #expect(zero.map(\.fine.value) == [0, 1, 17, 18] && zero.map(\.era) == [0, 0, 1, 1])
        #expect(zero.map(\.coarse) == [.low, .medium, .medium, .high])
        let one = user.updates(in: .days(2) ..< .days(7), launch: launch, models: models, measures: false)
        #expect(one.map(\.revenue) == [100] && one.map(\.coarse) == [.low])
        let measured = user.updates(in: .days(0) ..< .days(35), launch: launch, models: models, measures: true)
        #expect(measured.count == 5, "the model revenue-by-day measures four days")
        #expect(user.revenue == 1_300 && user.revenue(in: .hours(0) ..< .hours(32)) == 300)
    }
}
