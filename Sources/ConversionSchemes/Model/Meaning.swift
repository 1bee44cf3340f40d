import Money

/// An event, and what a value says about it.
package struct MappedEvent: Sendable, Hashable {
    /// The event.
    package let name: EventName
    /// The revenue that it brought; nil if it brings none.
    package let revenue: RevenueRange?
    /// How often it happened.
    package let count: CountRange

    /// Takes all values.
    package init(name: EventName, revenue: RevenueRange? = nil, count: CountRange = .atLeastOnce) {
        self.name = name
        self.revenue = revenue
        self.count = count
    }

    /// The revenue that a scheme states; nil if it brings none, or if nobody knows how much.
    var statedRevenue: RevenueRange? { revenue.flatMap { $0.isUnknown ? nil : $0 } }
}

/// What a conversion value means: what the user has done until the app set it.
package struct Meaning: Sendable, Hashable {
    /// How the events belong together.
    package enum Rule: Sendable, Hashable {
        /// All events have happened.
        case all
        /// At least one of the events has happened.
        case any
    }

    /// How the events belong together; `all` if there are fewer than two.
    package let rule: Rule
    /// The events, by name, each once; none if the value means that nothing has happened.
    package let events: [MappedEvent]
    /// When the user was last active; nil if the value says nothing about it.
    package let hours: HourRange?

    /// Nothing has happened.
    package static let nothing = Meaning(unchecked: [], .all, nil)

    /// The meaning; nil if an event stands twice.
    package init?(_ events: [MappedEvent], rule: Rule = .all, hours: HourRange? = nil) {
        guard Set(events.map(\.name)).count == events.count else { return nil }
        self.init(unchecked: events, rule, hours)
    }

    private init(unchecked events: [MappedEvent], _ rule: Rule, _ hours: HourRange?) {
        self.rule = events.count > 1 ? rule : .all
        self.events = events.sorted { $0.name < $1.name }
        self.hours = hours
    }

    /// Whether nobody knows what its events brought: one of them may have brought any revenue.
    ///
    /// Of several events of which any may have happened, an open range may also be 0.
    package var hasUnknownRevenue: Bool {
        events.contains { event in
            event.revenue.map { $0.to == nil && (rule == .any || $0.from == .zero) } ?? false
        }
    }

    /// Whether it names an amount of money.
    package var hasRevenue: Bool { events.contains { $0.statedRevenue != nil } }
}
