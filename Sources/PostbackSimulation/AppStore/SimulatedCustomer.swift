/// A made-up customer of the App Store: what they bought, and what the App Store notifies of.
struct SimulatedCustomer: Sendable {
    /// The place of the app.
    let app: Int
    let storefront: SimulatedStorefront
    /// Whether the developer gets version 1.
    let isV1: Bool
    /// `appAccountToken`; nil if the app gives none.
    let accountToken: String?
    let purchases: [SimulatedPurchase]
    /// In the order of time; no two at the same moment.
    let events: [SimulatedStoreEvent]
    /// Of ids.
    private let numbers: SeededRandom

    /// A customer, who is a function of the seed and the number.
    ///
    /// What happens does not depend on the version that tells of it.
    init(
        _ number: Int, _ configuration: AppStoreSimulator.Configuration, _ days: Range<Moment>, _ choice: WeightedChoice
    ) {
        var random = SeededRandom(seed: configuration.seed, .storeCustomer, stream: UInt64(number))
        app = random.below(configuration.bundleIDs.count)
        storefront = SimulatedStorefront.all[choice.pick(&random)]
        isV1 = random.unit() < configuration.v1Share
        let token = SimulatedPostback.uuid(random.next(), random.next())
        accountToken = random.chance(0.5) ? token : nil
        numbers = random
        _ = random.next()
        let start = days.lowerBound + Milliseconds(Int64(random.below(Int((days.upperBound - days.lowerBound).count))))
        var planner = CustomerPlanner(random, configuration, storefront, end: days.upperBound)
        planner.plan(from: start)
        purchases = planner.purchases
        var events = planner.events.enumerated().sorted {
            ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
        }.map(\.element)
        for index in events.indices.dropFirst() where events[index].at <= events[index - 1].at {
            events[index].at = events[index - 1].at + Milliseconds(1)
        }
        self.events = events.filter { $0.at < days.upperBound }
    }

    /// The id of a purchase: 18 digits, of which the last three count the customer's purchases.
    func transactionID(_ purchase: Int) -> String {
        var numbers = numbers
        let customer = 100_000_000_000_000 + numbers.next() % 900_000_000_000_000
        return String(customer * 1_000 + UInt64(purchase))
    }

    /// `notificationUUID` of an event.
    func uuid(_ event: Int) -> String {
        var numbers = numbers
        var random = SeededRandom(seed: numbers.next(), stream: UInt64(event))
        return SimulatedPostback.uuid(random.next(), random.next())
    }

    /// What version 1 lists in an event: the latest purchases of the same owner, the newest first, at most a hundred.
    func listed(_ event: SimulatedStoreEvent) -> [Int] {
        guard let purchase = event.purchase else { return [] }
        let owner = purchases[purchase].owner
        let known = purchases.indices.filter { purchases[$0].owner == owner && purchases[$0].at <= event.at }
        return Array(known.sorted { (purchases[$0].at, $0) > (purchases[$1].at, $1) }.prefix(100))
    }
}
