/// What a user does in the app: opens it on some days, and pays sometimes.
struct UserActivity: Sendable {
    /// The user opens the app or pays.
    struct Event: Sendable {
        /// The time since the first launch, or since the open of a re-engagement.
        let at: Milliseconds
        /// What the user pays, in cents; 0 if the app is only opened.
        let cents: Int64
    }

    /// In the order of time; the first is the launch.
    let events: [Event]

    /// How long a user is followed: to the end of the last conversion window.
    static let days = 35

    /// The activity with some events, in the order of time.
    init(events: [Event]) {
        self.events = events
    }

    /// Draws the activity of one user.
    ///
    /// - Parameter payingShare: The share of users who pay at all, 0…1.
    init(_ random: inout SeededRandom, _ habits: UserHabits, payingShare: Double) {
        let pays = random.chance(payingShare)
        var events: [Event] = []
        for day in 0..<Self.days {
            guard day == 0 || random.chance(habits.chanceOfReturn(onDay: day)) else { continue }
            let at = day == 0 ? Milliseconds(0) : .days(day) + random.length(Milliseconds(0)...Self.lastOpen)
            events.append(Event(at: at, cents: 0))
            guard pays, random.chance(habits.purchaseShare) else { continue }
            events.append(Event(at: at + random.length(.minutes(1)...Self.session), cents: habits.price(&random)))
        }
        self.events = events
    }

    /// What the user pays in a time since the launch, in cents; the end does not belong to it.
    func revenue(in range: Range<Milliseconds>) -> Int64 {
        events.reduce(0) { $0 + (range.contains($1.at) ? $1.cents : 0) }
    }

    /// What the user pays until the end, in cents.
    var revenue: Int64 { events.reduce(0) { $0 + $1.cents } }

    /// The longest time between the open and a purchase.
    private static let session = Milliseconds.minutes(30)
    /// The last time of a day at which the app is opened, so that a purchase is on the same day.
    private static let lastOpen = Milliseconds(Milliseconds.days(1).count - session.count - 1)
}

/// What users tend to do.
struct UserHabits: Sendable {
    /// The share of users who come back on the day after the first launch, 0…1.
    let returning: Double
    /// The share of opens by a paying user with a purchase, 0…1.
    let purchaseShare: Double
    /// The prices in cents.
    let prices: [Int64]
    /// How likely each price is.
    let choice: WeightedChoice

    /// It becomes smaller by the day, as retention does.
    func chanceOfReturn(onDay day: Int) -> Double { returning / (1 + 0.2 * Double(day - 1)) }

    func price(_ random: inout SeededRandom) -> Int64 { prices[choice.pick(&random)] }
}
