import PostgresClient
import Testing

@testable import PageFigures

@Suite("The days that an address chooses")
struct ChosenDaysTests {
    private let today = PostgresDate("2026-11-26") ?? PostgresDate(daysSince2000: 0)

    /// The days, and the names of parameters that are wrong.
    private func days(_ given: [String: String]) -> (chosen: ChosenDays, wrong: [String]) {
        var wrong: [String] = []
        let chosen = ChosenDays(given, today: today) { name, _ in wrong.append(name) }
        return (chosen, wrong)
    }

    private func text(_ days: ClosedRange<PostgresDate>?) -> String? {
        days.map { "\($0.lowerBound) to \($0.upperBound)" }
    }

    @Test(
        "A first or a last day takes the place of a number of days",
        arguments: [
            ([:], "2026-10-28 to 2026-11-26", 30), (["days": "1"], "2026-11-26 to 2026-11-26", 1),
            (["from": "2026-11-20", "days": "7"], "2026-11-20 to 2026-11-26", nil),
            (["to": "2026-11-20", "days": "7"], "2026-10-22 to 2026-11-20", nil),
        ] as [([String: String], String, Int32?)])
    func range(given: [String: String], range: String, last: Int32?) {
        let (chosen, wrong) = days(given)
        #expect(text(chosen.range) == range && chosen.last == last && wrong.isEmpty)
    }

    @Test(
        "What is no day, no number of days or no comparison is refused by its name",
        arguments: [
            (["days": "0"], "days"), (["days": "10000"], "days"), (["from": "2026-11-31"], "from"),
            (["from": "2026-11-27"], "from"), (["from": "2026-11-20", "to": "yesterday"], "to"),
            (["from": "2026-11-20", "compare": "2026-11-20"], "compare"), (["compare": "month"], "compare"),
        ])
    func refused(given: [String: String], name: String) {
        #expect(days(given).wrong == [name])
    }

    @Test(
        "As many days are compared: those right before, those a week before, or those from a chosen day on",
        arguments: [
            ([:], "2026-11-17 to 2026-11-19"), (["compare": "week"], "2026-11-13 to 2026-11-15"),
            (["compare": "2026-11-19"], "2026-11-19 to 2026-11-21"),
        ])
    func compared(more: [String: String], range: String) {
        let (chosen, wrong) = days(["from": "2026-11-20", "to": "2026-11-22"].merging(more) { $1 })
        #expect(text(chosen.compared) == range && wrong.isEmpty)
    }

    @Test("Before the first day of the calendar there is nothing to compare with")
    func calendar() {
        let (chosen, wrong) = days(["from": "0001-01-02", "to": "0001-01-04"])
        #expect(wrong.isEmpty && chosen.compared == nil)
    }
}
