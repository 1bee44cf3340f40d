/// How many conversions each campaign has on each day.
struct InstallCalendar: Sendable {
    /// Midnight UTC of the first simulated day.
    let begin: Moment
    /// The number of days with conversions.
    let days: Int
    /// The volume of each day of the week, Monday first; the mean is 1.
    private let weekdays: [Double]
    /// By which share the volume has grown after `days` days.
    private let trend: Double
    private let seed: UInt64

    /// A calendar.
    ///
    /// - Parameter weekdays: Seven weights, Monday first; not all 0.
    init(begin: Moment, days: Int, weekdays: [Double], trend: Double, seed: UInt64) {
        self.begin = begin
        self.days = days
        let mean = weekdays.reduce(0, +) / Double(weekdays.count)
        self.weekdays = weekdays.map { $0 / mean }
        self.trend = trend
        self.seed = seed
    }

    /// The beginning of a day; day 0 is `begin`, and days before it are negative.
    func start(of day: Int) -> Moment { begin + .days(day) }

    /// The number of conversions of a campaign on a day.
    ///
    /// It varies around its mean by up to 15 percent, and by the rounding of a fraction.
    func conversions(of campaign: SimulatedCampaign, number: Int, on day: Int) -> Int {
        let stream = UInt64(truncatingIfNeeded: day) << 32 | UInt64(truncatingIfNeeded: number)
        var random = SeededRandom(seed: seed, .calendar, stream: stream)
        let growth = max(0, 1 + trend * Double(day) / Double(days))
        let mean = campaign.installsADay * weekdays[weekday(of: day)] * growth
        let number = mean * (0.85 + 0.3 * random.unit())
        let whole = number.rounded(.down)
        return Int(whole) + (random.chance(number - whole) ? 1 : 0)
    }

    /// The number of a conversion.
    ///
    /// It does not depend on how many other conversions there are. It has 12 bits for the day, 20 for the campaign and
    /// 24 for the ordinal on the day. So 8 more can be added. The checks of the settings keep each in its bounds.
    static func number(day: Int, campaign: Int, ordinal: Int) -> UInt64 {
        // At most 60 days before the first one belong to a crowd.
        UInt64(day + 64) << 44 | UInt64(campaign) << 24 | UInt64(ordinal)
    }

    /// The day of the week, 0 for Monday.
    func weekday(of day: Int) -> Int {
        // 1970-01-01 was a Thursday.
        let days = start(of: day).milliseconds.dividingRoundedDown(by: Milliseconds.days(1).count) + 3
        return Int((days % 7 + 7) % 7)
    }
}
