/// The deliveries of a timeline, one day after the other, each day in the order of time.
///
/// What arrives on a day is complete once the conversions of that day are known, because no postback arrives before its
/// conversion. So only what is still to come is held in memory.
package struct TimelineDays: Sequence, IteratorProtocol {
    private let world: TimelineWorld
    private let end: Moment?
    private var crowds: Crowds?
    private var schedule: DeliverySchedule
    private var day: Int

    init(_ world: TimelineWorld, hasCopies: Bool, until end: Moment?) {
        self.world = world
        self.end = end
        schedule = DeliverySchedule(world: world, hasCopies: hasCopies)
        if case .crowd(let days, let thresholds) = world.privacy {
            crowds = Crowds(days: days, thresholds: thresholds)
        }
        day = -world.privacy.daysBefore
    }

    /// The deliveries of the next day, which may be none; nil after the last one.
    package mutating func next() -> [TimelineDelivery]? {
        guard let end else { return nextDay() }
        guard day < 0 || world.calendar.start(of: day) < end else { return nil }
        return nextDay()?.filter { $0.receivedAt < end }
    }

    private mutating func nextDay() -> [TimelineDelivery]? {
        while day < 0 {
            let conversions = conversions()
            crowds?.add(conversions)
            day += 1
        }
        if day < world.calendar.days {
            let conversions = conversions()
            for conversion in conversions { plan(conversion) }
            crowds?.add(conversions)
        }
        guard day < world.calendar.days || !schedule.isEmpty else { return nil }
        defer { day += 1 }
        return schedule.take(day: day)
    }

    /// The conversions of the day.
    private func conversions() -> [SimulatedConversion] {
        var conversions: [SimulatedConversion] = []
        let start = world.calendar.start(of: day)
        for (place, campaign) in world.campaigns.enumerated() {
            for ordinal in 0..<world.calendar.conversions(of: campaign, number: place, on: day) {
                let number = InstallCalendar.number(day: day, campaign: place, ordinal: ordinal)
                conversions.append(SimulatedConversion(number, campaign: place, dayStart: start, world: world))
            }
        }
        return conversions
    }

    private mutating func plan(_ conversion: SimulatedConversion) {
        guard let planner = PostbackPlanner(conversion, tier: tier(of: conversion), world: world) else { return }
        for postback in planner.winning() { schedule.add(postback) }
        for postback in planner.losing(tier) { schedule.add(postback) }
    }

    private func tier(of conversion: SimulatedConversion) -> PrivacyTier {
        if let crowds { return crowds.tier(of: conversion) }
        guard case .random(let share) = world.privacy else { return PrivacyTier(isWithheld: false) }
        let stream = (conversion.number << 8 | UInt64(conversion.network)) << 1
        var random = SeededRandom(seed: world.seed, .privacy, stream: stream)
        return PrivacyTier(isWithheld: random.chance(share))
    }
}
