import AdAttribution
import ConversionSchemes
import Testing

@Suite("Files of schemes that are refused")
struct SchemeRefusalTests {
    @Test("A file that is not one JSON object is refused with its line")
    func notJSON() throws {
        #expect(try refusal("") == ["line 1: json: JSON ends too early"])
        #expect(try refusal("[]") == ["line 1: json: must be a JSON object"])
        #expect(try refusal("{\n\n\"app-id\": 1,\n}") == ["line 4: json: not valid JSON"])
        #expect(try refusal("{} x") == ["line 1: json: bytes after the JSON value"])
    }

    @Test("A member that stands twice is refused with its name, at any depth")
    func doubled() throws {
        #expect(
            try refusal("{\"app-id\": 1,\n \"name\": \"a\",\n \"name\": \"b\"}") == [
                "line 3: name: stands twice in its object"
            ])
        #expect(
            try refusal(ConversionScheme.text("\"windows\": [{\"index\": 0,\n \"index\": 0}]")) == [
                "line 4: index: stands twice in its object"
            ])
    }

    @Test("Missing members are refused")
    func missing() throws {
        #expect(
            try refusal("{}") == [
                "line 1: app-id: is missing", "line 1: name: is missing", "line 1: valid-from: is missing",
            ])
        #expect(
            try refusal(ConversionScheme.text("\"fine\": [{\"value\": 1}, {\"events\": []}]")) == [
                "line 3: fine[0]: must have one of the members events and any-of", "line 3: fine[1].value: is missing",
            ])
        #expect(
            try refusal(ConversionScheme.text("\"windows\": [{}], \"bits\": [{\"bits\": 0}]")) == [
                "line 3: bits[0].kind: is missing", "line 3: windows[0].index: is missing",
            ])
    }

    @Test("Unknown members are refused, wherever they stand")
    func unknown() throws {
        let known = "is not a member that is known here"
        for (text, path) in [
            ("\"valid-until\": null", "valid-until"),
            ("\"fine\": [{\"value\": 1, \"events\": [], \"event\": 1}]", "fine[0].event"),
            ("\"fine\": [{\"value\": 1, \"events\": [{\"name\": \"a\", \"min\": 1}]}]", "fine[0].events[0].min"),
            (
                "\"currency\": \"USD\", \"fine\": [{\"value\": 1, \"events\": [{\"name\": \"a\", \"revenue\": {\"from\": 1, \"max\": 2}}]}]",
                "fine[0].events[0].revenue.max"
            ),
            ("\"windows\": [{\"index\": 1, \"coarse\": {\"hihg\": {\"events\": []}}}]", "windows[0].coarse.hihg"),
            ("\"windows\": [{\"index\": 1, \"lock\": {\"event\": \"a\", \"time\": 3}}]", "windows[0].lock.time"),
            ("\"bits\": [{\"bits\": 0, \"kind\": \"day\", \"days\": 1}]", "bits[0].days"),
        ] {
            #expect(try refusal(ConversionScheme.text(text)).contains("line 3: \(path): \(known)"), "\(text)")
        }
    }

    @Test(
        "A wrong type and a value out of range are refused with field, rule and value",
        arguments: [
            (
                "\"currency\": \"usd\"",
                "currency: must be a currency in three capital letters (ISO 4217), such as EUR, not \"usd\""
            ),
            (
                "\"currency\": 840",
                "currency: must be a currency in three capital letters (ISO 4217), such as EUR, not 840"
            ),
            ("\"measurement-window-hours\": 0", "measurement-window-hours: must be an integer from 1 to 1536, not 0"),
            (
                "\"measurement-window-hours\": 48.5",
                "measurement-window-hours: must be an integer from 1 to 1536, not 48.5"
            ),
            (
                "\"valid-to\": \"2026-13-01T00:00:00Z\"",
                "valid-to: must be a time in UTC such as 2026-10-01T00:00:00Z, or null, not \"2026-13-01T00:00:00Z\""
            ),
            (
                "\"valid-to\": \"2026-11-31T00:00:00Z\"",
                "valid-to: must be a time in UTC such as 2026-10-01T00:00:00Z, or null, not \"2026-11-31T00:00:00Z\""
            ),
            (
                "\"valid-to\": \"2026-10-01T00:00:00Z\"",
                "valid-to: must be later than valid-from (2026-10-01T00:00:00Z), not 2026-10-01T00:00:00Z"
            ),
            (
                "\"valid-to\": \"2026-11-01T00:20:00Z\"",
                "valid-to: must be a full quarter of an hour, such as 2026-10-01T00:15:00Z, not 2026-11-01T00:20:00Z"
            ),
            (
                "\"valid-to\": \"2026-11-01T00:15:01Z\"",
                "valid-to: must be a full quarter of an hour, such as 2026-10-01T00:15:00Z, not 2026-11-01T00:15:01Z"
            ),
            ("\"fine\": {}", "fine: must be an array, not an object"),
            ("\"fine\": [7]", "fine[0]: must be an object, not 7"),
            (
                "\"fine\": [{\"value\": 64, \"events\": []}]",
                "fine[0].value: must be an integer from 0 to 63, or a range of them such as \"1-15\", not 64"
            ),
            (
                "\"fine\": [{\"value\": \"15-1\", \"events\": []}]",
                "fine[0].value: must be an integer from 0 to 63, or a range of them such as \"1-15\", not \"15-1\""
            ),
            (
                "\"fine\": [{\"value\": \"1-64\", \"events\": []}]",
                "fine[0].value: must be an integer from 0 to 63, or a range of them such as \"1-15\", not \"1-64\""
            ),
            (
                "\"fine\": [{\"value\": \"7\", \"events\": []}]",
                "fine[0].value: must be an integer from 0 to 63, or a range of them such as \"1-15\", not \"7\""
            ),
            (
                "\"fine\": [{\"value\": 1, \"events\": [], \"any-of\": []}]",
                "fine[0]: must have one of the members events and any-of"
            ),
            (
                "\"fine\": [{\"value\": 1, \"any-of\": []}]",
                "fine[0].any-of: must be an array with at least one event, not an array"
            ),
            (
                "\"fine\": [{\"value\": 1, \"events\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}]",
                "fine[0].events: has an event that stands in it twice"
            ),
            (
                "\"fine\": [{\"value\": 1, \"events\": [{\"name\": \"\"}]}]",
                "fine[0].events[0].name: must be a text of 1 to 100 bytes without control characters, not \"\""
            ),
            (
                "\"fine\": [{\"value\": 1, \"events\": [], \"hours\": [24, 0]}]",
                "fine[0].hours: must be two hours from 0 to 1536, the lower one first, not an array"
            ),
            (
                "\"fine\": [{\"value\": 1, \"events\": [{\"name\": \"a\", \"count\": {\"from\": 3, \"to\": 1}}]}]",
                "fine[0].events[0].count: from must not be greater than to, not 3 to 1"
            ),
            (
                "\"fine\": [{\"value\": 1, \"events\": [{\"name\": \"a\", \"count\": {\"from\": -1}}]}]",
                "fine[0].events[0].count.from: must be an integer from 0 to 1000000000, not -1"
            ),
            (
                "\"currency\": \"USD\", \"fine\": [{\"value\": 1, \"events\": [{\"name\": \"a\", \"revenue\": {\"from\": 2, \"to\": 1.5}}]}]",
                "fine[0].events[0].revenue: from must not be greater than to, not 2 to 1.5"
            ),
            (
                "\"currency\": \"USD\", \"fine\": [{\"value\": 1, \"events\": [{\"name\": \"a\", \"revenue\": {\"from\": 0.0000001}}]}]",
                "fine[0].events[0].revenue.from: must be a number from 0 to 1000000000 with at most six decimal places, such as 12.50, not 0.0000001"
            ),
            (
                "\"fine\": [{\"value\": 1, \"events\": [{\"name\": \"a\", \"revenue\": \"any\"}]}]",
                "fine[0].events[0].revenue: must be a range of amounts, or \"unknown\", not \"any\""
            ),
            (
                "\"currency\": \"USD\", \"fine\": [{\"value\": 1, \"events\": [{\"name\": \"a\", \"revenue\": {\"from\": \"1\"}}]}]",
                "fine[0].events[0].revenue.from: must be a number from 0 to 1000000000 with at most six decimal places, such as 12.50, not \"1\""
            ),
            (
                "\"currency\": \"USD\", \"fine\": [{\"value\": 1, \"events\": [{\"name\": \"a\", \"revenue\": {\"from\": 0, \"to\": 1000000000.000001}}]}]",
                "fine[0].events[0].revenue.to: must be a number from 0 to 1000000000 with at most six decimal places, such as 12.50, not 1000000000.000001"
            ),
            (
                "\"currency\": \"USD\", \"bits\": [{\"bits\": 0, \"kind\": \"revenue\", \"buckets\": [0, 1e10]}]",
                "bits[0].buckets[1]: must be a number from 0 to 1000000000 with at most six decimal places, such as 12.50, not 1e10"
            ),
            (
                "\"fine\": [{\"value\": 1, \"events\": [{\"name\": \"a\", \"revenue\": {\"from\": 1}}]}]",
                "currency: is missing, although a value has revenue"
            ),
            ("\"windows\": [{\"index\": 3}]", "windows[0].index: must be 0, 1 or 2, not 3"),
            ("\"windows\": [{\"index\": 1}, {\"index\": 1}]", "windows[1]: window 1 stands in line 3 already"),
            (
                "\"windows\": [{\"index\": 1, \"fine\": []}]",
                "windows[0].fine: fine values stand in the member fine of the scheme; windows 1 and 2 are coarse only"
            ),
            (
                "\"windows\": [{\"index\": 1, \"lock\": {\"fine\": 3}}]",
                "windows[0].lock: window 1 is coarse only, so no fine value can lock it, not 3"
            ),
            (
                "\"windows\": [{\"index\": 0, \"lock\": {}}]",
                "windows[0].lock: must have one member: event, coarse or fine"
            ),
            (
                "\"windows\": [{\"index\": 0, \"lock\": {\"coarse\": \"HIGH\"}}]",
                "windows[0].lock.coarse: must be low, medium or high, not \"HIGH\""
            ),
            (
                "\"bits\": [{\"bits\": \"0-6\", \"kind\": \"day\"}]",
                "bits[0].bits: must be a bit from 0 to 5, or a range of them such as \"0-3\", not \"0-6\""
            ),
            (
                "\"bits\": [{\"bits\": 0, \"kind\": \"days\"}]",
                "bits[0].kind: must be revenue, day or event, not \"days\""
            ),
            (
                "\"currency\": \"USD\", \"bits\": [{\"bits\": 0, \"kind\": \"revenue\", \"buckets\": [0, 1, 2]}]",
                "bits[0].buckets: must be 1 to 2 amounts that rise, not an array"
            ),
            (
                "\"currency\": \"USD\", \"bits\": [{\"bits\": 0, \"kind\": \"revenue\", \"buckets\": [1, 1]}]",
                "bits[0].buckets: must be 1 to 2 amounts that rise, not an array"
            ),
            (
                "\"bits\": [{\"bits\": \"0-1\", \"kind\": \"event\", \"events\": [\"a\"]}]",
                "bits[0].events: must be a different name for each of the 2 bits, not an array"
            ),
            (
                "\"bits\": [{\"bits\": 0, \"kind\": \"day\"}, {\"bits\": \"0-1\", \"kind\": \"event\", \"events\": [\"a\", \"b\"]}]",
                "bits[1]: has a bit that bits[0] has too"
            ),
            (
                "\"bits\": [{\"bits\": 0, \"kind\": \"day\"}, {\"bits\": 1, \"kind\": \"day\"}]",
                "bits[1]: says what bits[0] says already"
            ),
        ])
    func rule(_ members: String, _ problem: String) throws {
        let problems = try refusal(ConversionScheme.text(members))
        #expect(problems.contains { $0.hasSuffix(problem) }, "\(problems)")
    }

    @Test("A beginning and an end that are no full quarters of an hour are refused together, each with its line")
    func quarterHours() throws {
        #expect(
            try refusal(
                """
                { "app-id": 1, "name": "a",
                  "valid-from": "2026-10-01T00:10:00Z",
                  "valid-to": "2026-10-01T00:15:30Z" }
                """) == [
                    "line 2: valid-from: must be a full quarter of an hour, such as 2026-10-01T00:15:00Z, "
                        + "not 2026-10-01T00:10:00Z",
                    "line 3: valid-to: must be a full quarter of an hour, such as 2026-10-01T00:15:00Z, "
                        + "not 2026-10-01T00:15:30Z",
                ])
        let quarter = "{ \"app-id\": 1, \"name\": \"a\", \"valid-from\": \"2026-10-01T05:45:00Z\" }"
        #expect(try SchemeFile.read(Array(quarter.utf8)).validity.from.text == "2026-10-01T05:45:00Z")
    }

    @Test("All problems of a file are told, in the order of its lines")
    func all() throws {
        let problems = try refusal(
            """
            { "app-id": -1,
              "name": "",
              "valid-from": "yesterday",
              "fine": [{ "value": 64, "events": [] },
                       { "value": 1, "events": 1 }],
              "windows": [{ "index": 3 }],
              "x": 1 }
            """)
        #expect(
            problems.map { $0.prefix { $0 != ":" } } == [
                "line 1", "line 2", "line 3", "line 4", "line 5", "line 6", "line 7",
            ])
    }

    @Test("A file of more than a mebibyte is refused before it is parsed")
    func size() throws {
        let text = ConversionScheme.text("\"x\": \"\(String(repeating: "x", count: 1_048_576))\"")
        #expect(try refusal(text) == ["line 1: file: must have at most 1048576 bytes"])
    }
}
