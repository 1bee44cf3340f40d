/// What a chart shows: bars upon each other at each place, or bars with a range.
package struct ChartData: Sendable {
    /// A series of numbers, one for each place.
    package struct Series: Sendable {
        let name: String
        /// nil if nobody knows the number.
        let values: [Double?]

        /// Takes a name and a number for each place; nil if nobody knows it.
        package init(_ name: String, _ values: [Double?]) {
            self.name = name
            self.values = values.map { $0.map(ChartData.limited) }
        }
    }

    /// The name of the chart; nil if it has that of its figure.
    let name: String?
    let places: [String]
    let series: [Series]
    /// The least and the greatest number of each place, nil if nobody knows them; empty if there is no range.
    let ranges: [ClosedRange<Double>?]
    let isIncomplete: [Bool]
    let isShare: Bool
    /// The address to which each place leads, nil if it leads nowhere; empty if none does.
    let links: [String?]
    /// Charts of the same figure with an axis of their own, below this one.
    let others: [ChartData]

    /// Takes the data.
    ///
    /// - Parameters:
    ///   - name: The name of the chart, if it is not that of its figure.
    ///   - places: The labels of the horizontal axis.
    ///   - ranges: How sure the numbers are, one for each place (nil: nobody knows), or none.
    ///   - isIncomplete: Whether more may come at a place, one for each place, or none.
    ///   - isShare: Whether numbers are shares of 1.
    ///   - links: The address to which each place leads, one for each place, or none.
    ///   - others: Charts of the same figure, below this one.
    package init(
        name: String? = nil, places: [String], series: [Series], ranges: [ClosedRange<Double>?] = [],
        isIncomplete: [Bool] = [], isShare: Bool = false, links: [String?] = [], others: [ChartData] = []
    ) {
        self.name = name
        self.places = places
        self.series = series
        self.ranges = ranges.map { range in
            range.map {
                let low = Self.limited($0.lowerBound)
                return low...max(low, Self.limited($0.upperBound))
            }
        }
        self.isIncomplete = isIncomplete.isEmpty ? places.map { _ in false } : isIncomplete
        self.isShare = isShare
        self.links = links
        self.others = others
    }

    /// A number that a chart can draw: beyond this an integer of a label would overflow.
    private static func limited(_ number: Double) -> Double { number.isFinite ? min(max(0, number), 1e15) : 0 }
}
