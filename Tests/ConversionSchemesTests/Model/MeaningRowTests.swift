import AdAttribution
import ConversionSchemes
import Money
import TestSupport
import Testing

@Suite("The rows of meaning")
struct MeaningRowTests {
    private func rows(_ members: String) throws -> [String] {
        try ConversionScheme(members).rows.map(\.text)
    }

    @Test("A value that means nothing has one row without an event, with revenue 0 and count 0")
    func nothing() throws {
        #expect(try rows("\"fine\": [{\"value\": 0, \"events\": []}]") == ["0 fine 0 - 0..0 0..0 -"])
    }

    @Test("Each value of a range has its rows")
    func range() throws {
        #expect(
            try rows("\"fine\": [{\"value\": \"7-8\", \"events\": [{\"name\": \"a\"}]}]") == [
                "0 fine 7 a 0..0 1.. -", "0 fine 8 a 0..0 1.. -",
            ])
    }

    @Test("A value with several events has a row for each, whose sums are its revenue")
    func several() throws {
        #expect(
            try rows(
                """
                "currency": "USD", "fine": [{"value": 9, "hours": [24, 48], "events": [
                {"name": "b", "revenue": {"from": 1.5, "to": 3}, "count": {"from": 2, "to": 4}},
                {"name": "a", "revenue": {"from": 9.99, "to": 9.99}}, {"name": "c", "revenue": {"from": 100}}]}]
                """) == [
                    "0 fine 9 a 9.99..9.99 1.. 24-48", "0 fine 9 b 1.5..3 2..4 24-48", "0 fine 9 c 100.. 1.. 24-48",
                ])
    }

    @Test("Of several events of which any is enough, each one may be missing")
    func any() throws {
        #expect(
            try rows(
                """
                "currency": "USD", "windows": [{"index": 2, "coarse": {"high": {"any-of": [
                {"name": "a", "revenue": {"from": 5, "to": 10}, "count": {"from": 2, "to": 3}}, {"name": "b", "revenue": {"from": 7}}]}}}]
                """) == ["2 coarse high a 0..10 0..3 -", "2 coarse high b 0.. 0.. -"])
    }

    @Test("Rows tell which values lock the window")
    func locks() throws {
        let text = try rows(
            """
            "fine": [{"value": 1, "events": [{"name": "a"}]}, {"value": 2, "events": [{"name": "b"}]},
                     {"value": 3, "any-of": [{"name": "b"}, {"name": "c"}]}, {"value": 4, "events": [{"name": "c"}]}],
            "windows": [{"index": 0, "coarse": {"low": {"events": []}, "high": {"events": [{"name": "b"}]}},
                         "lock": [{"event": "b"}, {"fine": 4}]},
                        {"index": 1, "coarse": {"low": {"events": []}, "high": {"events": [{"name": "b"}]}}, "lock": {"coarse": "low"}}]
            """)
        func values(_ lock: String) -> [String] {
            text.filter { $0.hasSuffix(lock) }.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
        }
        #expect(values("locks") == ["0 fine 2", "0 fine 4", "0 coarse high", "1 coarse low"])
        // Both rows of the value.
        #expect(values("may lock") == ["0 fine 3", "0 fine 3"])
    }

    @Test("Bits generate revenue by bucket, and hours by day")
    func revenueBits() throws {
        let scheme = try SchemeFile.read(try TestEnvironment.file("examples/scheme-bits.json"))
        let rows = Dictionary(grouping: scheme.rows, by: { $0.value.fine?.value ?? 255 }).mapValues { $0.map(\.text) }
        // Ten buckets, four days.
        #expect(rows.count == 40)
        #expect(rows[0] == ["0 fine 0 purchase 0..1 0.. 0-24"])
        #expect(rows[1] == ["0 fine 1 purchase 1..3 1.. 0-24"])
        #expect(rows[9] == ["0 fine 9 purchase 500.. 1.. 0-24"])
        #expect(rows[10] == nil)
        #expect(rows[0b11_0010] == ["0 fine 50 purchase 3..5 1.. 72-96"])
        #expect(scheme.unmapped == [10...15, 26...31, 42...47, 58...63])
    }

    @Test("Bits generate events, one for each bit, and bits of no field are 0")
    func eventBits() throws {
        let scheme = try ConversionScheme(
            "\"bits\": [{\"bits\": \"1-2\", \"kind\": \"event\", \"events\": [\"a\", \"b\"]}, {\"bits\": \"3-4\", \"kind\": \"day\"}]"
        )
        let rows = scheme.rows.map(\.text)
        #expect(
            rows.prefix(5) == [
                "0 fine 0 - 0..0 0..0 0-24", "0 fine 2 a 0..0 1.. 0-24", "0 fine 4 b 0..0 1.. 0-24",
                "0 fine 6 a 0..0 1.. 0-24",
                "0 fine 6 b 0..0 1.. 0-24",
            ])
        #expect(rows.last == "0 fine 30 b 0..0 1.. 72-96")
        #expect(scheme.fineMeanings.map(\.value) == Array(stride(from: 0, to: 32, by: 2)))
    }

    @Test("Six bits of days reach the last hour that a scheme can say")
    func retention() throws {
        let scheme = try ConversionScheme("\"bits\": [{\"bits\": \"0-5\", \"kind\": \"day\"}]")
        #expect(scheme.unmapped == [])
        #expect(scheme.rows.last?.hours == HourRange(low: 1_512, high: 1_536))
    }
}

extension MeaningRow {
    /// Window, value, event, revenue, count, hours, lock.
    fileprivate var text: String {
        let value =
            self.value.fine.map { "fine \($0.value)" } ?? self.value.coarse.map { "coarse \($0.rawValue)" } ?? "none"
        let hours = hours.map { "\($0.low)-\($0.high)" } ?? "-"
        let lock =
            switch lock {
            case .none: ""
            case .possible: " may lock"
            case .certain: " locks"
            }
        return "\(sequenceIndex) \(value) \(event?.text ?? "-") \(revenueLow.text)..\(revenueHigh?.text ?? "") "
            + "\(countLow)..\(countHigh.map(String.init) ?? "") \(hours)\(lock)"
    }
}
