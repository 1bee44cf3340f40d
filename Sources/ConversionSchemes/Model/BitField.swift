package import Money

/// Some bits of a fine value, and what their number means: a generator of meanings.
///
/// Source: the models of the open "SKAN" standard 1.1: revenue by buckets, days since the install, events.
package struct BitField: Sendable, Hashable {
    /// What the number of the bits means.
    package enum Kind: Sendable, Hashable {
        /// The bucket of the revenue of an event.
        ///
        /// Bucket n holds amounts from `buckets[n]` to `buckets[n + 1]`; the last one is open. In the bucket from 0 the
        /// event need not have happened. The amounts rise, up to `RevenueRange.limit`.
        case revenue(event: EventName, buckets: [Amount])
        /// The day after the install on which the user was last active, from 0.
        case day
        /// Which events have happened, one for each bit, the lowest bit first.
        case event([EventName])
    }

    /// The numbers of the bits, 0 for the lowest, 5 for the highest.
    package let bits: ClosedRange<Int>
    /// What their number means.
    package let kind: Kind

    /// What bits must be, to complete "must be …".
    package static let rule = "a bit from 0 to 5, or a range of them such as \"0-3\""

    /// The event of revenue that has no other name.
    package static let revenueEvent = "revenue"

    /// The field; nil if a bit is out of range or the kind does not fit the number of bits.
    package init?(bits: ClosedRange<Int>, kind: Kind) {
        guard (0...5).contains(bits.lowerBound), (0...5).contains(bits.upperBound) else { return nil }
        switch kind {
        case .revenue(_, let buckets):
            guard !buckets.isEmpty, buckets.count <= 1 << bits.count,
                zip(buckets, buckets.dropFirst()).allSatisfy({ $0 < $1 }),
                buckets.allSatisfy({ $0 <= RevenueRange.limit })
            else { return nil }
        case .day: break
        case .event(let names):
            guard names.count == bits.count, Set(names).count == names.count else { return nil }
        }
        self.bits = bits
        self.kind = kind
    }

    /// The number that these bits have in a fine value.
    func number(in value: UInt8) -> Int {
        Int(value) >> bits.lowerBound & (1 << bits.count - 1)
    }

    /// The bits as a mask of a fine value.
    var mask: UInt8 {
        UInt8((1 << bits.count - 1) << bits.lowerBound)
    }
}

extension [BitField] {
    /// The fine values that the fields generate, with their meanings.
    ///
    /// Bits of no field are 0 in such a value. A bucket that does not exist generates none.
    package func meanings() -> [(value: UInt8, meaning: Meaning)] {
        guard !isEmpty else { return [] }
        let used = reduce(0) { $0 | $1.mask }
        return (UInt8(0)...63).compactMap { value in
            guard value & ~used == 0 else { return nil }
            return meaning(of: value).map { (value, $0) }
        }
    }

    private func meaning(of value: UInt8) -> Meaning? {
        var events: [MappedEvent] = []
        var hours: HourRange?
        for field in self {
            let number = field.number(in: value)
            switch field.kind {
            case .revenue(let event, let buckets):
                guard number < buckets.count else { return nil }
                let next = number + 1 < buckets.count ? buckets[number + 1] : nil
                guard let range = RevenueRange(from: buckets[number], to: next) else { return nil }
                let count: CountRange = range.from == .zero ? .perhaps : .atLeastOnce
                events.append(MappedEvent(name: event, revenue: range, count: count))
            case .day: hours = HourRange(day: Int64(number))
            case .event(let names):
                events += names.indices.filter { number >> $0 & 1 == 1 }.map { MappedEvent(name: names[$0]) }
            }
        }
        return Meaning(events, hours: hours)
    }
}
