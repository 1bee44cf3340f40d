package import AdAttribution

/// The model `revenue-by-day`: bits 0 to 3 are the bucket of the revenue, bits 4 and 5 the day of the last update.
///
/// Day 0 is the first 24 hours after the first launch, and day 3 is the last one. Source: the open "SKAN" standard 1.1,
/// its revenue model.
package struct RevenueByDayModel: ValueModel {
    /// The most buckets that four bits hold beside 0.
    package static let mostBuckets = 15
    /// The longest measurement window: two bits hold four days.
    package static let longestMeasurementWindow = Milliseconds.days(4)

    package let name = "revenue-by-day"
    package let measurementWindow: Milliseconds
    /// The buckets, at most 15.
    package let buckets: RevenueBuckets
    /// The thresholds of coarse values and locks.
    package let thresholds: RevenueThresholds

    /// A model; nil if a lower bound breaks a rule of `RevenueBuckets`, or if the measurement window is too long.
    package init?(
        lowerBounds: [Int64], thresholds: RevenueThresholds, measurementWindow: Milliseconds = longestMeasurementWindow
    ) {
        guard let buckets = RevenueBuckets(lowerBounds, most: Self.mostBuckets),
            measurementWindow <= Self.longestMeasurementWindow
        else { return nil }
        self.buckets = buckets
        self.thresholds = thresholds
        self.measurementWindow = measurementWindow
    }

    package func fine(_ state: UserState) -> ConversionValue {
        ConversionValue(clamping: min(state.sinceLaunch.wholeDays, 3) << 4 | buckets.number(of: state.revenue))
    }

    package func coarse(_ state: UserState) -> CoarseConversionValue { thresholds.coarse(state) }

    package func locks(_ state: UserState) -> Bool { thresholds.locks(state) }
}
