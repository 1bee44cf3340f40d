extension TimelineSettings {
    /// An ad network.
    package struct Network: Codable, Sendable, Equatable {
        /// Its identifier.
        package var adNetworkID: String
        /// How much it has.
        package var weight: Double

        /// A network.
        package init(adNetworkID: String, weight: Double) {
            self.adNetworkID = adNetworkID
            self.weight = weight
        }

        enum CodingKeys: String, CodingKey {
            case adNetworkID = "ad-network-id"
            case weight
        }

        static let defaults = [
            Network(adNetworkID: "example123.skadnetwork", weight: 5),
            Network(adNetworkID: "example456.skadnetwork", weight: 3),
            Network(adNetworkID: "example789.adattributionkit", weight: 2),
        ]
    }

    /// An advertised app.
    package struct App: Codable, Sendable, Equatable {
        /// Its App Store id.
        package var appID: Int64
        /// How much it has.
        package var weight: Double
        /// Whether it ever updates a value; true if absent.
        ///
        /// False is a bug of its integration.
        package var updates: Bool?
        /// Whether its developer gets copies; true if absent.
        package var copies: Bool?
        /// Its value models, one after the other.
        package var models: [Model]

        /// An app.
        package init(appID: Int64, weight: Double, updates: Bool? = nil, copies: Bool? = nil, models: [Model]) {
            self.appID = appID
            self.weight = weight
            self.updates = updates
            self.copies = copies
            self.models = models
        }

        enum CodingKeys: String, CodingKey {
            case weight, updates, copies, models
            case appID = "app-id"
        }

        /// One app with two changes of its model, one with one change, one that locks, and one that never updates.
        static let defaults = [
            App(
                appID: 525_463_029, weight: 5,
                models: [
                    .revenue(), .revenueByDay(fromDay: 31),
                    .revenue(fromDay: 62, buckets: [1, 250, 500, 1_000, 2_500]),
                ]),
            App(appID: 1_234_567_891, weight: 3, models: [.revenueByDay()]),
            App(appID: 10_738_027_756, weight: 2, models: [.revenue(lock: 500)]),
            App(
                appID: 1_588_000_001, weight: 1,
                models: [.revenue(), .revenue(fromDay: 45, buckets: [1, 200, 400, 800, 1_600, 3_200])]),
            App(appID: 1_588_000_002, weight: 1, updates: false, models: [.revenue()]),
        ]
    }

    /// A value model of an app.
    package struct Model: Codable, Sendable, Equatable {
        /// The day from which the app uses it, counted from `begin`; absent for the first one.
        package var fromDay: Int?
        /// `revenue` or `revenue-by-day`.
        package var model: String
        /// The lower bounds of the buckets, in cents.
        package var buckets: [Int64]
        /// From how many cents in a window on the coarse value is medium.
        package var medium: Int64
        /// From how many cents in a window on the coarse value is high.
        package var high: Int64
        /// From how many cents in a window on the app locks it; absent if it never does.
        package var lock: Int64?
        /// The event that stands in the scheme for this revenue; absent if the scheme names the values that lock.
        ///
        /// Then the scheme says of some values only that the event may have happened.
        package var lockEvent: String?
        /// For how many hours after the first launch the app updates values up to SKAdNetwork 3.0.
        package var measurementWindowHours: Int

        enum CodingKeys: String, CodingKey {
            case model, buckets, medium, high, lock
            case fromDay = "from-day"
            case lockEvent = "lock-event"
            case measurementWindowHours = "measurement-window-hours"
        }

        private static let bounds: [Int64] = [1, 150, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000]

        /// The model `revenue`.
        package static func revenue(
            fromDay: Int? = nil, buckets: [Int64] = bounds, lock: Int64? = nil, lockEvent: String? = nil
        ) -> Model {
            Model(
                fromDay: fromDay, model: "revenue", buckets: buckets, medium: 200, high: 1_000, lock: lock,
                lockEvent: lockEvent, measurementWindowHours: 48)
        }

        /// The model `revenue-by-day`.
        package static func revenueByDay(fromDay: Int? = nil, lock: Int64? = nil) -> Model {
            Model(
                fromDay: fromDay, model: "revenue-by-day", buckets: bounds, medium: 200, high: 1_000, lock: lock,
                measurementWindowHours: 96)
        }
    }

    /// A price, and how likely it is.
    package struct Price: Codable, Sendable, Equatable {
        /// The price in cents.
        package var cents: Int64
        /// How likely it is.
        package var weight: Double

        static let defaults = [
            Price(cents: 99, weight: 30), Price(cents: 199, weight: 25), Price(cents: 499, weight: 25),
            Price(cents: 999, weight: 15), Price(cents: 1_999, weight: 5),
        ]
    }

    /// How it is decided what postbacks may say.
    package struct Privacy: Codable, Sendable, Equatable {
        /// `crowd`, by the size of the crowd, or `random`, by chance.
        package var mode = "crowd"
        /// Mode `crowd`: the installs of so many days are the crowd.
        package var days: Int? = 7
        /// Mode `crowd`: how many installs the tiers 1, 2 and 3 need.
        package var thresholds: [Int]? = [5, 25, 80]
        /// Mode `random`: the share of conversions from which values are withheld.
        package var share: Double?

        /// By crowds of seven days.
        package init() {}

        /// By chance.
        package static func random(share: Double) -> Privacy {
            var privacy = Privacy()
            privacy.mode = "random"
            privacy.days = nil
            privacy.thresholds = nil
            privacy.share = share
            return privacy
        }
    }
}
