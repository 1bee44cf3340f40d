package import AdAttribution

/// What an app knows about its user when it updates the conversion value.
package struct UserState: Sendable, Equatable {
    /// The time since the first launch, or since the open of a re-engagement.
    package let sinceLaunch: Milliseconds
    /// What the user paid since the current conversion window began, in cents.
    package let revenue: Int64

    /// A state of a user.
    package init(sinceLaunch: Milliseconds, revenue: Int64) {
        self.sinceLaunch = sinceLaunch
        self.revenue = revenue
    }
}

/// How an app makes conversion values of what its user did.
///
/// `RevenueModel` and `RevenueByDayModel` are built in.
package protocol ValueModel: Sendable {
    /// The name, which stands in the truth.
    var name: String { get }
    /// For how long after the first launch the app updates values up to SKAdNetwork 3.0.
    var measurementWindow: Milliseconds { get }
    /// The fine value.
    func fine(_ state: UserState) -> ConversionValue
    /// The coarse value.
    func coarse(_ state: UserState) -> CoarseConversionValue
    /// Whether the app locks the window with this update.
    func locks(_ state: UserState) -> Bool
}

/// The thresholds by which the built-in models choose coarse values and lock windows, in cents of a window's revenue.
package struct RevenueThresholds: Sendable, Equatable {
    /// From here on the coarse value is medium, below it is low.
    package let medium: Int64
    /// From here on the coarse value is high.
    package let high: Int64
    /// From here on the app locks the window; nil if it never does.
    package let lock: Int64?

    /// Thresholds with 0 < medium < high; nil for others, and for a lock that is not positive.
    package init?(medium: Int64, high: Int64, lock: Int64? = nil) {
        guard 0 < medium, medium < high, lock.map({ $0 > 0 }) ?? true else { return nil }
        self.medium = medium
        self.high = high
        self.lock = lock
    }

    func coarse(_ state: UserState) -> CoarseConversionValue {
        if state.revenue >= high { return .high }
        return state.revenue >= medium ? .medium : .low
    }

    func locks(_ state: UserState) -> Bool {
        lock.map { state.revenue >= $0 } ?? false
    }
}

/// Ranges of revenue: 0 is no revenue, and each lower bound begins the next number.
package struct RevenueBuckets: Sendable, Equatable {
    /// The lower bounds in cents.
    package let lowerBounds: [Int64]

    /// Buckets with ascending positive lower bounds; nil for others, and if there are none or more than `most`.
    package init?(_ lowerBounds: [Int64], most: Int) {
        guard (1...most).contains(lowerBounds.count), lowerBounds[0] > 0,
            zip(lowerBounds, lowerBounds.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        self.lowerBounds = lowerBounds
    }

    /// The number of the bucket of a revenue in cents; 0 below the first bound.
    package func number(of revenue: Int64) -> Int {
        lowerBounds.firstIndex { $0 > revenue } ?? lowerBounds.count
    }
}
