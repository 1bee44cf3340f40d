package import AdAttribution
package import AppStoreData

/// Makes notifications of the App Store about made-up customers, signed under a test root.
///
/// What happens, and what notifications say of it, is a function of the configuration. Signatures and certificates
/// differ each time. Bodies can be made in any order and on many threads.
package struct AppStoreSimulator: Sendable {
    /// What is simulated.
    package let configuration: Configuration
    let customers: [SimulatedCustomer]
    let signer: StoreSigner
    /// In the order of arrival.
    private let deliveries: [Place]
    /// What is never delivered, in the order of time.
    private let missing: [Place]

    /// Where the event of a notification is.
    struct Place: Sendable, Hashable {
        let customer: UInt32
        let event: UInt32
    }

    /// What `environment` of all notifications is.
    ///
    /// Those of version 1 have no signature that could tell them from real ones.
    static let environment = StoreEnvironment.sandbox

    /// When the App Store tries again what was not answered, added up.
    ///
    /// Source: Apple, "Responding to App Store Server Notifications": after 1, 12, 24, 48 and 72 hours.
    private static let retries = [1, 13, 37, 85, 157].map { Milliseconds.hours($0) }

    /// Makes a simulator.
    ///
    /// - Throws: `FieldError` for a wrong value in the configuration.
    package init(_ configuration: Configuration, signer: StoreSigner) throws(FieldError) {
        let days = try configuration.validate()
        let choice = try TimelineWorld.choice("storefronts", SimulatedStorefront.all.map(\.weight), most: 100)
        let customers = (0..<configuration.customers).map { SimulatedCustomer($0, configuration, days, choice) }
        let plan = Self.plan(customers, configuration)
        self.configuration = configuration
        self.customers = customers
        self.signer = signer
        deliveries = plan.deliveries
        missing = plan.missing
    }

    /// The number of deliveries.
    package var count: Int { deliveries.count }

    /// The number of different notifications that are delivered.
    package var notifications: Int { Set(deliveries).count }

    /// The number of notifications that only Apple's history has.
    package var undelivered: Int { missing.count }

    /// The body of a delivery, 0…`count` − 1, or nil outside.
    ///
    /// A repeated one has the same id, and another signature.
    package func body(at index: Int) throws -> [UInt8]? {
        deliveries.indices.contains(index) ? try body(of: deliveries[index]) : nil
    }

    /// The body of a notification that is never delivered, 0…`undelivered` − 1, or nil outside.
    package func undeliveredBody(at index: Int) throws -> [UInt8]? {
        missing.indices.contains(index) ? try body(of: missing[index]) : nil
    }

    /// What was really paid and given back, as far as notifications tell of it.
    ///
    /// - Parameter withHistory: Whether those count, too, that only the history has.
    package func truth(withHistory: Bool) -> AppStoreTruth {
        let unknown = withHistory ? [] : Set(missing)
        return AppStoreTruth(customers, configuration.bundleIDs) { customer, event in
            !unknown.contains(Place(customer: UInt32(customer), event: UInt32(event)))
        }
    }

    private func body(of place: Place) throws -> [UInt8] {
        let customer = customers[Int(place.customer)]
        return customer.isV1 ? v1(customer, Int(place.event)) : try v2(customer, Int(place.event))
    }

    private static func plan(
        _ customers: [SimulatedCustomer], _ configuration: Configuration
    ) -> (deliveries: [Place], missing: [Place]) {
        var arrivals: [(at: Moment, place: Place)] = []
        var missing: [(at: Moment, place: Place)] = []
        for (number, customer) in customers.enumerated() {
            for (index, event) in customer.events.enumerated() where !customer.isV1 || event.name.v1 != nil {
                let place = Place(customer: UInt32(number), event: UInt32(index))
                var random = SeededRandom(
                    seed: configuration.seed, .storeDelivery, stream: UInt64(number) << 32 | UInt64(index))
                let isMissing = random.chance(configuration.missingShare)
                let isLate = random.chance(configuration.lateShare)
                let isRepeated = random.chance(configuration.repeatedShare)
                guard !isMissing || customer.isV1 else {
                    missing.append((event.at, place))
                    continue
                }
                let first = isLate ? random.below(retries.count) : -1
                for copy in 0..<(isRepeated ? 3 : 1) {
                    let retry = first + copy
                    let delay = retry < 0 ? Milliseconds(0) : retries[min(retry, retries.count - 1)]
                    arrivals.append((event.at + delay, place))
                }
            }
        }
        var deliveries = inOrder(arrivals)
        if configuration.isShuffled {
            var random = SeededRandom(seed: configuration.seed, .storeDelivery, stream: .max)
            for index in deliveries.indices.dropFirst().reversed() {
                deliveries.swapAt(index, random.below(index + 1))
            }
        }
        return (deliveries, inOrder(missing))
    }

    private static func inOrder(_ arrivals: [(at: Moment, place: Place)]) -> [Place] {
        arrivals.sorted {
            ($0.at, $0.place.customer, $0.place.event) < ($1.at, $1.place.customer, $1.place.event)
        }.map(\.place)
    }
}
