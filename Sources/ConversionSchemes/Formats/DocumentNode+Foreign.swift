import Money
import StrictJSON

extension DocumentNode {
    /// A number or, as protobuf writes 64-bit integers, its text.
    private var looseNumber: String? {
        if case LocatedJSON.Value.string(let text) = json.value, Amount(rounding: text) != nil { return text }
        return number
    }

    /// An integer in a range, as a number or as text; a fraction of 0 is accepted.
    func looseInteger(_ range: ClosedRange<Int64>) -> Int64? {
        let integer: Int64?
        switch json.value {
        case .integer(let value): integer = value
        case .string(let text): integer = Int64(text)
        case .number(let text): integer = Amount(number: text)?.wholeUnits
        default: integer = nil
        }
        guard let integer, range.contains(integer) else {
            refuse("an integer from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return integer
    }

    /// An amount of revenue of a format that computes with binary fractions: it is rounded to six places, and a note
    /// says so.
    func looseRevenue() -> Amount? {
        guard let text = looseNumber, let amount = Amount(rounding: text), amount <= RevenueRange.limit else {
            refuse(RevenueRange.rule)
            return nil
        }
        if Amount(number: text) == nil { findings.note(place, "\(JSONText.shown(text)) was rounded to \(amount.text)") }
        return amount
    }

    /// The name of an event.
    func eventName() -> EventName? {
        text(EventName.rule) { EventName($0) }
    }
}
