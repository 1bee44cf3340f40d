import AdAttribution
import Money

/// Amounts in formats whose SDK wants more than a threshold, never as much.
enum Thresholds {
    /// A note for each value and event whose least amount does not fit any more.
    ///
    /// - Parameter hasThreshold: Whether the format writes a threshold for the event of a meaning.
    static func notes(
        _ scheme: ConversionScheme, where hasThreshold: (Meaning, RevenueRange) -> Bool
    ) -> [SchemeNote] {
        scheme.namedMeanings.flatMap { place, meaning in
            meaning.events.compactMap { event in
                guard let revenue = event.statedRevenue, hasThreshold(meaning, revenue) else {
                    return nil
                }
                return SchemeNote(
                    place: place,
                    text:
                        "revenue of \(event.name.quoted): exactly \(revenue.from.text) is left out, since the SDK "
                        + "wants more than a threshold")
            }
        }
    }
}

extension ConversionScheme {
    /// The meanings of all values, with their names in notes.
    var namedMeanings: [(place: String, meaning: Meaning)] {
        fineMeanings.map { ("fine \($0.value)", $0.meaning) }
            + windows.enumerated().flatMap { index, window in
                CoarseConversionValue.ascending.compactMap { value in
                    window.coarse[value].map { ("window \(index) \(value.rawValue)", $0) }
                }
            }
    }
}
