package import AdAttribution
package import Money

/// What the conversion values of one app mean during one validity.
///
/// Only a draft that passed all checks becomes a scheme (`init(_:)`), so a scheme contradicts itself nowhere. Two
/// schemes with the same meaning are equal, however their files were written.
package struct ConversionScheme: Sendable, Hashable {
    /// The advertised app.
    package let appID: AppID
    /// The name, for people.
    package let name: SchemeName
    /// When the app sets values by it.
    package let validity: Validity
    /// The currency of all amounts; nil only if there are none.
    package let currency: CurrencyCode?
    /// For how many hours after the install the app sets values; nil if it is not known.
    package let measurementWindowHours: Int64?
    /// The fine values that are listed, in ascending order, neighbours of one meaning together.
    package let fine: [FineRange]
    /// The generators of fine meanings, the lowest bits first.
    package let bits: [BitField]
    /// What it says about windows 0, 1 and 2; always three.
    package let windows: [SchemeWindow]

    /// Fine values beside each other with one meaning.
    package struct FineRange: Sendable, Hashable {
        /// The values, 0…63.
        package let values: ClosedRange<UInt8>
        /// What each of them means.
        package let meaning: Meaning
    }

    /// What the measurement window must be, to complete "must be …".
    package static let measurementWindowRule = "an integer from 1 to \(HourRange.limit)"

    /// Takes a draft that was checked.
    init(checked draft: SchemeDraft, validity: Validity) {
        appID = draft.appID
        name = draft.name
        self.validity = validity
        currency = draft.currency
        measurementWindowHours = draft.measurementWindowHours
        bits = draft.bits.map(\.field).sorted { $0.bits.lowerBound < $1.bits.lowerBound }
        windows = draft.windows
        var ranges: [FineRange] = []
        let listed = draft.fine.flatMap { entry in entry.values.map { ($0, entry.meaning) } }
        for (value, meaning) in listed.sorted(by: { $0.0 < $1.0 }) {
            if let last = ranges.last, last.meaning == meaning, last.values.upperBound + 1 == value {
                ranges[ranges.count - 1] = FineRange(values: last.values.lowerBound...value, meaning: meaning)
            } else {
                ranges.append(FineRange(values: value...value, meaning: meaning))
            }
        }
        fine = ranges
    }

    private init(_ scheme: ConversionScheme, validity: Validity) {
        appID = scheme.appID
        name = scheme.name
        self.validity = validity
        currency = scheme.currency
        measurementWindowHours = scheme.measurementWindowHours
        fine = scheme.fine
        bits = scheme.bits
        windows = scheme.windows
    }

    /// The scheme with another end, such as the one that a successor gives it.
    package func closed(at validity: Validity) -> ConversionScheme {
        ConversionScheme(self, validity: validity)
    }

    /// The meanings of all fine values that have one, listed or generated, in ascending order.
    package var fineMeanings: [(value: UInt8, meaning: Meaning)] {
        let listed = fine.flatMap { range in range.values.map { (value: $0, meaning: range.meaning) } }
        return (listed + bits.meanings()).sorted { $0.value < $1.value }
    }

    /// Whether a value names an amount of money.
    package var hasRevenue: Bool {
        fineMeanings.contains { $0.meaning.hasRevenue }
            || windows.contains { $0.coarse.values.contains { $0.hasRevenue } }
    }

    /// The fine values that have no meaning, neighbours together.
    ///
    /// They are legal, and reports count them as unmapped, never as revenue 0.
    package var unmapped: [ClosedRange<UInt8>] {
        let mapped = Set(fineMeanings.map(\.value))
        return Self.ranges((UInt8(0)...63).filter { !mapped.contains($0) })
    }

    /// The fine values whose revenue nobody knows, neighbours together; reports have no middle for them.
    package var fineWithUnknownRevenue: [ClosedRange<UInt8>] {
        Self.ranges(fineMeanings.filter(\.meaning.hasUnknownRevenue).map(\.value))
    }

    /// Ascending values, neighbours together.
    private static func ranges(_ values: [UInt8]) -> [ClosedRange<UInt8>] {
        var ranges: [ClosedRange<UInt8>] = []
        for value in values {
            if let last = ranges.last, last.upperBound + 1 == value {
                ranges[ranges.count - 1] = last.lowerBound...value
            } else {
                ranges.append(value...value)
            }
        }
        return ranges
    }

    /// The coarse values of a window that have no meaning, although the window has some.
    package func unmappedCoarse(_ window: Int) -> [CoarseConversionValue] {
        guard windows.indices.contains(window), !windows[window].coarse.isEmpty else { return [] }
        return CoarseConversionValue.ascending.filter { windows[window].coarse[$0] == nil }
    }
}

extension SchemeWindow {
    /// The coarse values whose revenue nobody knows.
    var coarseWithUnknownRevenue: [CoarseConversionValue] {
        CoarseConversionValue.ascending.filter { coarse[$0]?.hasUnknownRevenue ?? false }
    }
}

extension CoarseConversionValue {
    /// The three values, the lowest first.
    static let ascending: [CoarseConversionValue] = [.low, .medium, .high]
}
