import AdAttribution
import Testing

@testable import PostbackSimulation

@Suite("The privacy of the simulator")
struct PrivacyTests {
    @Test(
        "The identifier with the highest tier is sent, the longest of several, and two digits in tiers 0 and 1",
        arguments: [
            (4, 4, 4, 0, 2), (5, 5, 5, 1, 2), (9, 5, 1, 1, 2), (25, 24, 0, 2, 2), (25, 25, 24, 2, 3),
            (79, 79, 25, 2, 4), (80, 79, 79, 3, 2), (80, 80, 79, 3, 3), (200, 100, 80, 3, 4),
        ])
    func digits(two: Int, three: Int, four: Int, tier: Int, digits: Int) {
        let privacy = PrivacyTier(crowds: (two, three, four), thresholds: [5, 25, 80])
        #expect(privacy.number == tier && privacy.digits == digits && privacy.crowd == two)
    }

    @Test("A crowd is the installs of the days before, counted one by one")
    func crowds() throws {
        var settings = TimelineSettings()
        settings.installsADay = 150
        settings.days = 12
        let world = try TimelineWorld(settings, seed: 3)
        var crowds = Crowds(days: 3, thresholds: [2, 5, 10])
        var days: [[SimulatedConversion]] = []
        var number: UInt64 = 0
        for day in 0..<8 {
            var conversions: [SimulatedConversion] = []
            for (place, campaign) in world.campaigns.enumerated() {
                for _ in 0..<world.calendar.conversions(of: campaign, number: place, on: day) {
                    conversions.append(
                        .init(number, campaign: place, dayStart: world.calendar.start(of: day), world: world))
                    number += 1
                }
            }
            let before = days.suffix(3).flatMap { $0 }
            for conversion in conversions.prefix(40) {
                let alike = before.filter { other in
                    other.network == conversion.network && other.app == conversion.app
                        && other.source == conversion.source
                        && other.sourceIdentifier.suffix(2) == conversion.sourceIdentifier.suffix(2)
                        && (conversion.kind != .adAttributionKit || other.country == conversion.country)
                }
                #expect(crowds.tier(of: conversion).crowd == alike.count)
            }
            crowds.add(conversions)
            days.append(conversions)
        }
        #expect(number > 800)
    }

    @Test("Volumes of campaigns differ by orders of magnitude, follow the weekdays, and grow by the trend")
    func volumes() throws {
        var settings = TimelineSettings()
        settings.trend = 1
        settings.days = 70
        let world = try TimelineWorld(settings, seed: 5)
        let days = (0..<70).map { day in
            world.campaigns.enumerated().map { world.calendar.conversions(of: $1, number: $0, on: day) }
        }
        let campaigns: [Int] = world.campaigns.indices.map { place in days.reduce(0) { $0 + $1[place] } }
        let largest = campaigns.max() ?? 0
        let smallest = campaigns.min() ?? 0
        #expect(largest > 1_000 * max(1, smallest))
        let sums: [Int] = days.map { $0.reduce(0, +) }
        let mean = Double(sums.reduce(0, +)) / 70
        #expect(abs(mean - 7_500) < 300, "twice the volume at the end: 1.5 on average")
        let firstWeek = sums.prefix(7).reduce(0, +)
        let lastWeek = sums.suffix(7).reduce(0, +)
        #expect(lastWeek * 2 > firstWeek * 3)
        var byWeekday = Array(repeating: 0, count: 7)
        for (day, sum) in sums.enumerated() { byWeekday[world.calendar.weekday(of: day)] += sum }
        #expect(byWeekday[5] > byWeekday[0], "Saturdays have more than Mondays")
        // 2026-07-01 is a Wednesday.
        #expect(world.calendar.weekday(of: 0) == 2 && world.calendar.weekday(of: -3) == 6)
    }
}
