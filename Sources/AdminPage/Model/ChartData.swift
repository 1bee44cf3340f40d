/// What a chart shows: bars upon each other at each place, or bars with a range.
package struct ChartData: Sendable {
    /// A series of numbers, one for each place.
    package struct Series: Sendable {
        let name: String
        let values: [Double]

        /// Takes a name and a number for each place.
        package init(_ name: String, _ values: [Double]) {
            self.name = name
            // Beyond this an integer of a label would overflow.
            self.values = values.map { $0.isFinite ? min(max(0, $0), 1e15) : 0 }
        }
    }

    let places: [String]
    let series: [Series]
    /// The least and the greatest number of each place, nil if nobody knows them; empty if there is no range.
    let ranges: [ClosedRange<Double>?]
    let isIncomplete: [Bool]
    let isShare: Bool

    /// Takes the data.
    ///
    /// - Parameters:
    ///   - places: The labels of the horizontal axis.
    ///   - ranges: How sure the numbers are, one for each place (nil: nobody knows), or none.
    ///   - isIncomplete: Whether more may come at a place, one for each place, or none.
    ///   - isShare: Whether numbers are shares of 1.
    package init(
        places: [String], series: [Series], ranges: [ClosedRange<Double>?] = [],
        isIncomplete: [Bool] = [], isShare: Bool = false
    ) {
        self.places = places
        self.series = series
        self.ranges = ranges
        self.isIncomplete = isIncomplete.isEmpty ? places.map { _ in false } : isIncomplete
        self.isShare = isShare
    }
}
