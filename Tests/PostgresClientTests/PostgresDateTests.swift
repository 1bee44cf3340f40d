import Testing

@testable import PostgresClient

@Suite("Dates")
struct PostgresDateTests {
    @Test(
        "Days and their text agree",
        arguments: [
            ("2000-01-01", Int32(0)), ("1999-12-31", -1), ("1970-01-01", -10_957), ("2000-02-29", 59),
            ("2026-07-04", 9_681),
            ("0001-01-01", -730_119), ("9999-12-31", 2_921_939),
        ])
    func text(text: String, days: Int32) {
        #expect(PostgresDate(text)?.daysSince2000 == days)
        #expect(PostgresDate(daysSince2000: days).description == text)
    }

    @Test(
        "A text that is not a day gives nil",
        arguments: [
            "", "2026-13-01", "2026-00-10", "2026-02-29", "1900-02-29", "2026-04-31", "2026-1-01", "0000-01-01",
            "2026-01-01Z", "+026-01-01", "2026/01/01", "٢٠٢٦-01",
        ])
    func notADay(text: String) {
        #expect(PostgresDate(text) == nil)
    }

    @Test("Every day of four centuries can be written and read again")
    func roundTrip() {
        for days in stride(from: Int32(-146_100), to: 146_100, by: 1) {
            let date = PostgresDate(daysSince2000: days)
            guard PostgresDate(date.description) == date else {
                Issue.record("day \(days) is \(date)")
                return
            }
        }
    }

    @Test(
        "A timestamp has the right UTC day",
        arguments: [
            (Int64(0), "1970-01-01"), (-1, "1969-12-31"), (86_399_999, "1970-01-01"), (86_400_000, "1970-01-02"),
            (946_684_799_999, "1999-12-31"), (946_684_800_000, "2000-01-01"),
        ])
    func timestamps(milliseconds: Int64, day: String) {
        let timestamp = PostgresTimestamp(millisecondsSince1970: milliseconds)
        #expect(timestamp.millisecondsSince1970 == milliseconds)
        #expect(PostgresDate(timestamp).description == day)
    }

    @Test("Extreme values do not trap")
    func extremes() {
        #expect(PostgresTimestamp(millisecondsSince1970: .max).microsecondsSince2000 == .max)
        #expect(PostgresTimestamp(millisecondsSince1970: .min).microsecondsSince2000 == .min)
        #expect(PostgresDate(PostgresTimestamp(microsecondsSince2000: .max)).description == "infinity")
        #expect(PostgresDate(PostgresTimestamp(microsecondsSince2000: .min)).description == "-infinity")
        #expect(!PostgresDate(PostgresTimestamp(microsecondsSince2000: .max - 1)).description.isEmpty)
        #expect(!PostgresDate(daysSince2000: .min + 1).description.isEmpty)
        #expect(PostgresTimestamp(microsecondsSince2000: -1).millisecondsSince1970 == 946_684_799_999)
        #expect(!String(PostgresTimestamp(microsecondsSince2000: .min).millisecondsSince1970).isEmpty)
    }
}
