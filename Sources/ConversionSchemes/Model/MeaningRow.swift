package import AdAttribution
package import Money

/// One row of `attribution.conversion_meaning`: what one value says about one event.
///
/// A value with several events has a row for each. The sums over the rows of a value are its revenue: low ends, and
/// high ends if all are known. A value that means nothing has one row without an event, with revenue 0 and count 0.
package struct MeaningRow: Sendable, Hashable {
    /// The postback window, 0…2.
    package let sequenceIndex: UInt8
    /// The fine or coarse value; never `none`.
    package let value: ReportedConversionValue
    /// The event; nil if the value means nothing.
    package let event: EventName?
    /// The least revenue.
    package let revenueLow: Amount
    /// The greatest revenue; nil if there is no upper end.
    package let revenueHigh: Amount?
    /// The least number of times.
    package let countLow: Int64
    /// The greatest number of times; nil if there is no upper end.
    package let countHigh: Int64?
    /// When the user was last active; nil if the value says nothing about it.
    package let hours: HourRange?
    /// Whether the app locks the window when it sets the value.
    package let lock: WindowLock
    /// Whether the event is one of several of which at least one has happened.
    package let isAlternative: Bool
}

/// Whether an app locks the window when it sets a value, as far as the scheme says it.
package enum WindowLock: Sendable, Hashable {
    /// It does not.
    case none
    /// It may or not: an event that locks may have happened for the value, or not.
    case possible
    /// It does.
    case certain
}

extension ConversionScheme {
    /// The rows of meaning of all values that are mapped, by window, fine values before coarse ones.
    package var rows: [MeaningRow] {
        fineMeanings.flatMap { value, meaning in
            ConversionValue(Int64(value)).map { rows(0, .fine($0), meaning) } ?? []
        }
            + windows.indices.flatMap { window in
                CoarseConversionValue.ascending.flatMap { value in
                    windows[window].coarse[value].map { rows(window, .coarse(value), $0) } ?? []
                }
            }
    }

    private func rows(_ window: Int, _ value: ReportedConversionValue, _ meaning: Meaning) -> [MeaningRow] {
        let lock = windows[window].lock(value, meaning)
        func row(_ event: EventName?, _ revenue: RevenueRange?, _ low: Int64, _ high: Int64?) -> MeaningRow {
            MeaningRow(
                sequenceIndex: UInt8(window), value: value, event: event, revenueLow: revenue?.from ?? .zero,
                revenueHigh: revenue.map(\.to) ?? .zero, countLow: low, countHigh: high, hours: meaning.hours,
                lock: lock, isAlternative: meaning.rule == .any)
        }
        guard !meaning.events.isEmpty else { return [row(nil, nil, 0, 0)] }
        return meaning.events.map { event in
            guard meaning.rule == .any else { return row(event.name, event.revenue, event.count.from, event.count.to) }
            // Any single one of them may not have happened.
            let revenue = event.revenue.flatMap { RevenueRange(from: .zero, to: $0.to) }
            return row(event.name, revenue, 0, event.count.to)
        }
    }
}

extension SchemeWindow {
    /// Whether the app locks the window when it sets a value.
    ///
    /// An event locks if it must have happened for the value. One that may have happened locks possibly.
    fileprivate func lock(_ value: ReportedConversionValue, _ meaning: Meaning) -> WindowLock {
        let found = locks.map { trigger -> WindowLock in
            switch trigger {
            case .fine(let fine): value == .fine(fine) ? .certain : .none
            case .coarse(let coarse): value == .coarse(coarse) ? .certain : .none
            case .event(let name):
                if let event = meaning.events.first(where: { $0.name == name }) {
                    meaning.rule == .all && event.count.from > 0 ? .certain : .possible
                } else {
                    .none
                }
            }
        }
        return found.contains(.certain) ? .certain : found.contains(.possible) ? .possible : .none
    }
}
