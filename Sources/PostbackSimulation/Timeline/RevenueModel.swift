package import AdAttribution

/// The model `revenue`: the fine value is the bucket of the revenue, and 0 is a launch without revenue.
package struct RevenueModel: ValueModel {
    /// The most buckets that six bits hold beside 0.
    package static let mostBuckets = 63

    package let name = "revenue"
    package let measurementWindow: Milliseconds
    /// The buckets, at most 63.
    package let buckets: RevenueBuckets
    /// The thresholds of coarse values and locks.
    package let thresholds: RevenueThresholds

    /// A model; nil if a lower bound breaks a rule of `RevenueBuckets`.
    package init?(lowerBounds: [Int64], thresholds: RevenueThresholds, measurementWindow: Milliseconds = .hours(48)) {
        guard let buckets = RevenueBuckets(lowerBounds, most: Self.mostBuckets) else { return nil }
        self.buckets = buckets
        self.thresholds = thresholds
        self.measurementWindow = measurementWindow
    }

    package func fine(_ state: UserState) -> ConversionValue {
        ConversionValue(clamping: buckets.number(of: state.revenue))
    }

    package func coarse(_ state: UserState) -> CoarseConversionValue { thresholds.coarse(state) }

    package func locks(_ state: UserState) -> Bool { thresholds.locks(state) }
}

extension ConversionValue {
    /// The value nearest to a number.
    init(clamping number: Int) {
        self = ConversionValue(Int64(min(max(number, 0), 63))) ?? Self.zero
    }

    /// The lowest value.
    private static var zero: ConversionValue {
        guard let zero = ConversionValue(0) else { preconditionFailure("0 is a conversion value") }
        return zero
    }
}
