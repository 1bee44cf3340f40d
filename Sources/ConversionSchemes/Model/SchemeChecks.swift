import AdAttribution
import Money
import StrictJSON

extension SchemeDraft {
    /// Checks everything that one file must keep, and makes the scheme.
    ///
    /// - Throws: All rules that are broken, also those that were found before.
    func checked(_ findings: DocumentFindings) throws(SchemeErrors) -> ConversionScheme {
        let validity = Validity(from: validFrom, to: validTo)
        if validity == nil {
            findings.refuse(
                validToPlace ?? place, "must be later than valid-from (\(validFrom.text))", value: validTo?.text)
        }
        checkQuarterHours(findings)
        checkBits(findings)
        let meanings = fineMeanings(findings)
        checkOverlaps(meanings, findings)
        checkRevenue(meanings, findings)
        for window in windows.indices {
            let coarse = CoarseConversionValue.ascending.compactMap { value in
                windows[window].coarse[value].map { meaning in
                    NamedMeaning(
                        name: value.rawValue, meaning: meaning, place: places[window].coarse[value] ?? place)
                }
            }
            checkOverlaps(coarse, findings)
            checkRevenue(coarse, findings)
            checkLocks(window, findings)
        }
        checkCurrency(meanings, findings)
        try findings.check()
        guard let validity else { throw SchemeErrors([SchemeError(place, "has no validity")]) }
        return ConversionScheme(checked: self, validity: validity)
    }

    /// A value with its meaning, for a refusal.
    private struct NamedMeaning {
        let name: String
        let meaning: Meaning
        let place: DocumentPlace
    }

    /// Answers hold for all moments of a quarter of an hour at once, so a scheme begins and ends with one.
    private func checkQuarterHours(_ findings: DocumentFindings) {
        let rule = "must be a full quarter of an hour, such as 2026-10-01T00:15:00Z"
        if !validFrom.isQuarterHour {
            findings.refuse(validFromPlace ?? place, rule, value: validFrom.text)
        }
        if let validTo, !validTo.isQuarterHour {
            findings.refuse(validToPlace ?? place, rule, value: validTo.text)
        }
    }

    /// A bit belongs to one field, and an event and the day to one field.
    private func checkBits(_ findings: DocumentFindings) {
        // Six fields have no bit in common at most, so the seventh is wrong anyhow.
        for (index, entry) in bits.prefix(7).enumerated() {
            for other in bits[..<index] {
                if other.field.bits.overlaps(entry.field.bits) {
                    findings.refuse(entry.place, "has a bit that \(other.place.path) has too")
                }
                if other.field.kind.tells(entry.field.kind) {
                    findings.refuse(entry.place, "says what \(other.place.path) says already")
                }
            }
        }
    }

    /// A value stands in the scheme at most once, listed or generated.
    private func fineMeanings(_ findings: DocumentFindings) -> [NamedMeaning] {
        var found: [UInt8: DocumentPlace] = [:]
        var meanings: [NamedMeaning] = []
        let bitsPlace = bits.first?.place ?? place
        for (value, meaning) in bits.map(\.field).sorted(by: { $0.bits.lowerBound < $1.bits.lowerBound }).meanings() {
            found[value] = bitsPlace
            meanings.append(NamedMeaning(name: String(value), meaning: meaning, place: bitsPlace))
        }
        for entry in fine {
            let doubled = entry.values.filter { found[$0] != nil }
            if let value = doubled.first, let other = found[value] {
                findings.refuse(
                    DocumentPlace(line: entry.place.line, path: entry.place.path + ".value"),
                    "has the value \(value), which \(other.path) (line \(other.line)) has already")
            }
            for value in entry.values where found[value] == nil { found[value] = entry.place }
            // So there are never more than 64 to compare.
            guard doubled.count < entry.values.count else { continue }
            meanings.append(NamedMeaning(name: entry.values.shown, meaning: entry.meaning, place: entry.place))
        }
        return meanings
    }

    /// Two values of one window with the same events and hours differ in a range.
    private func checkOverlaps(_ meanings: [NamedMeaning], _ findings: DocumentFindings) {
        for (index, entry) in meanings.enumerated() {
            for other in meanings[..<index] {
                guard let overlap = entry.meaning.overlap(other.meaning) else { continue }
                findings.refuse(
                    entry.place,
                    "value \(entry.name): the \(overlap.kind) of \(overlap.event.quoted) overlaps that of "
                        + "value \(other.name) (line \(other.place.line)), and nothing else tells the two apart")
                // One refusal for each value is enough.
                break
            }
        }
    }

    /// The events of a value together bring no more than one event may.
    private func checkRevenue(_ meanings: [NamedMeaning], _ findings: DocumentFindings) {
        for entry in meanings where entry.meaning.events.exceedRevenueLimit {
            findings.refuse(
                entry.place,
                "value \(entry.name): the revenue of its events together must be at most \(RevenueRange.limit.text)")
        }
    }

    private func checkLocks(_ window: Int, _ findings: DocumentFindings) {
        guard window > 0 else { return }
        for case .fine(let value) in windows[window].locks {
            findings.refuse(
                places[window].locks ?? place, "window \(window) is coarse only, so no fine value can lock it",
                value: String(value.value))
        }
    }

    private func checkCurrency(_ fine: [NamedMeaning], _ findings: DocumentFindings) {
        let hasRevenue =
            fine.contains { $0.meaning.hasRevenue }
            || windows.contains { $0.coarse.values.contains { $0.hasRevenue } }
        guard hasRevenue, currency == nil else { return }
        findings.refuse(DocumentPlace(line: place.line, path: "currency"), "is missing, although a value has revenue")
    }
}

extension [MappedEvent] {
    /// Whether the sum of the greatest revenues, or of the least ones where there is no greatest, is too large.
    fileprivate var exceedRevenueLimit: Bool {
        var sum: Int64 = 0
        return contains { event in
            sum += (event.revenue.map { $0.to ?? $0.from } ?? .zero).millionths
            return sum > RevenueRange.limit.millionths
        }
    }
}

extension BitField.Kind {
    /// Whether two fields of one scheme would contradict each other.
    fileprivate func tells(_ other: BitField.Kind) -> Bool {
        if case .day = self, case .day = other { return true }
        return !Set(events).isDisjoint(with: other.events)
    }

    private var events: [EventName] {
        switch self {
        case .revenue(let event, _): [event]
        case .day: []
        case .event(let names): names
        }
    }
}

extension ClosedRange<UInt8> {
    /// The values as a scheme writes them: `7`, or `1-15`.
    package var shown: String {
        count == 1 ? String(lowerBound) : "\(lowerBound)-\(upperBound)"
    }
}
