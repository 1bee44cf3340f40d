import AdAttribution

/// Makes the postbacks of one conversion: which there are, what they say, and when they are sent.
struct PostbackPlanner: Sendable {
    let world: TimelineWorld
    let conversion: SimulatedConversion
    let tier: PrivacyTier
    private let launch: Moment
    private let app: SimulatedApp
    private let user: UserActivity
    /// Whether the app only registers the launch, and never updates a value.
    private let isSilent: Bool
    /// When the user follows another ad and opens the app again, which ends the conversion; nil if never.
    private let reengagedAt: Moment?

    /// The most networks that get a postback with did-win false.
    ///
    /// Source: Apple, "Receiving ad attributions and postbacks".
    static let mostAssists = 5
    /// Slots 0 to 2 are the windows.
    private static let firstAssistSlot = 3

    /// A planner; nil if the app is never launched, since then nothing is sent.
    init?(_ conversion: SimulatedConversion, tier: PrivacyTier, world: TimelineWorld) {
        guard let launch = conversion.launchedAt else { return nil }
        self.world = world
        self.conversion = conversion
        self.tier = tier
        self.launch = launch
        app = world.apps[conversion.app]
        var random = SeededRandom(seed: world.seed, .user, stream: conversion.number)
        isSilent = random.chance(world.shares.silent) || !app.updates
        user = UserActivity(&random, world.habits, payingShare: world.campaigns[conversion.campaign].payingShare)
        reengagedAt = Self.reengagement(of: conversion, launch, world)
    }

    /// Draws when a re-engagement ends a conversion: in each of the windows as often as in the others.
    private static func reengagement(
        of conversion: SimulatedConversion, _ launch: Moment, _ world: TimelineWorld
    ) -> Moment? {
        var random = SeededRandom(seed: world.seed, .reengagement, stream: conversion.number)
        guard conversion.kind == .adAttributionKit, random.chance(world.shares.reengaged) else { return nil }
        let window = ConversionWindow.all[random.below(ConversionWindow.all.count)].range
        return launch + random.length(window.lowerBound + Milliseconds(1)...window.upperBound)
    }

    /// The postbacks to the winning network.
    func winning() -> [TimelinePostback] {
        conversion.hasWindows ? windows() : [beforeWindows(didWin: true, as: conversion, tier, slot: 0)]
    }

    /// The postbacks with did-win false.
    ///
    /// - Parameter tier: The tier of the conversion as a losing network sees it.
    func losing(_ tier: (SimulatedConversion) -> PrivacyTier) -> [TimelinePostback] {
        guard conversion.hasAssists, world.networks.count > 1 else { return [] }
        var random = SeededRandom(seed: world.seed, .losing, stream: conversion.number << 8 | UInt64(UInt8.max))
        var others = Array(world.networks.indices)
        others.remove(at: conversion.network)
        var postbacks: [TimelinePostback] = []
        while !others.isEmpty, postbacks.count < Self.mostAssists {
            let network = others.remove(at: random.below(others.count))
            guard random.chance(world.shares.losing) else { continue }
            let loser = SimulatedConversion(losing: network, of: conversion, world: world)
            let slot = Self.firstAssistSlot + postbacks.count
            postbacks.append(
                conversion.hasWindows
                    // Apple does not say that a lock makes these earlier, so they wait for the end of the window. A
                    // re-engagement ends all postbacks of the conversion.
                    ? postback(
                        ConversionWindow.all[0],
                        .init(value: nil, preparedAt: launch + .days(2)).ended(by: reengagedAt), as: loser, tier(loser),
                        didWin: false, slot: slot)
                    : beforeWindows(didWin: false, as: loser, tier(loser), slot: slot))
        }
        return postbacks
    }

    /// Up to SKAdNetwork 3.0.
    private func beforeWindows(
        didWin: Bool, as conversion: SimulatedConversion, _ tier: PrivacyTier, slot: Int
    ) -> TimelinePostback {
        var timer = RollingTimer(launch: launch)
        if !isSilent, conversion.hasValues {
            let days = Milliseconds.days(0) ..< .days(UserActivity.days)
            for update in user.updates(in: days, launch: launch, models: app.models, measures: true) {
                timer.update(update)
            }
        }
        return postback(
            window: 0, delay: RollingTimer.delay,
            .init(value: didWin ? timer.value : nil, preparedAt: timer.expires), as: conversion, tier,
            didWin: didWin, slot: slot)
    }

    /// SKAdNetwork 4.0 and AdAttributionKit: up to three postbacks, but one in tier 0.
    ///
    /// After a re-engagement the app updates the new conversion. Windows that have not begun have no postback then.
    private func windows() -> [TimelinePostback] {
        var random = SeededRandom(seed: world.seed, .privacy, stream: conversion.number << 1 | 1)
        return ConversionWindow.all.compactMap { window in
            let updates =
                isSilent
                ? []
                : user.updates(in: window.range, launch: launch, models: app.models, measures: false)
                    .filter { update in reengagedAt.map { update.at < $0 } ?? true }
            let isSentWithoutUpdate = random.chance(world.shares.silentWindow)
            if window.index > 0 {
                guard tier.number > 0, !updates.isEmpty || isSentWithoutUpdate else { return nil }
                if let reengagedAt, reengagedAt <= launch + window.range.lowerBound { return nil }
            }
            let outcome = window.outcome(of: updates, launch: launch).ended(by: reengagedAt)
            return postback(window, outcome, as: conversion, tier, didWin: true, slot: window.index)
        }
    }

    private func postback(
        _ window: ConversionWindow, _ outcome: ConversionWindow.Outcome, as conversion: SimulatedConversion,
        _ tier: PrivacyTier, didWin: Bool, slot: Int
    ) -> TimelinePostback {
        postback(
            window: window.index, delay: window.delay, outcome, as: conversion, tier, didWin: didWin, slot: slot)
    }

    private func postback(
        window: Int, delay: ClosedRange<Milliseconds>, _ outcome: ConversionWindow.Outcome,
        as conversion: SimulatedConversion, _ tier: PrivacyTier, didWin: Bool, slot: Int
    ) -> TimelinePostback {
        let stream = conversion.number << 4 | UInt64(slot)
        var random = SeededRandom(seed: world.seed, .delivery, stream: stream)
        let sentAt = outcome.preparedAt + random.length(delay)
        let isDelayed = random.chance(world.shares.delayed)
        let lateness = random.length(DeliverySchedule.lateness)
        let begin = ConversionWindow.all[window].range.lowerBound
        // A purchase that locks the window belongs to it.
        let end = outcome.preparedAt - launch + Milliseconds(outcome.lockedAt == nil ? 0 : 1)
        return TimelinePostback(
            conversion: conversion, didWin: didWin, window: window, launchedAt: launch, tier: tier,
            value: outcome.value, lockedAt: outcome.lockedAt, reengagedAt: outcome.reengagedAt,
            preparedAt: outcome.preparedAt, sentAt: sentAt,
            receivedAt: isDelayed ? sentAt + lateness : sentAt,
            revenueInWindow: user.revenue(in: begin..<end), revenueToEnd: user.revenue(in: .hours(0)..<end),
            revenueTotal: user.revenue, slot: slot)
    }
}
