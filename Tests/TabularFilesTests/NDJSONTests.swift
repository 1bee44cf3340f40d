import Testing

@testable import TabularFiles

@Suite("NDJSON files")
struct NDJSONTests {
    @Test("Members are read as columns, numbers by their digits, null as no value", arguments: [1, 2, 5, 1_000])
    func rows(_ partSize: Int) {
        let text = """
            \u{FEFF}
            {"name": "a", "count": 1}\r

              {"count": null, "name": "b"}
            {"name": 12.50, "count": ""}
            """
        let read = ReadFile(text, partSize: partSize)
        #expect(read.problems == [])
        #expect(read.records == [.init("a", 1), .init("b"), .init("12.50")])
        #expect(read.lines == [2, 4, 5])
    }

    @Test("Each wrong line is refused with its member and rule, and the others are still checked")
    func refused() {
        let text = """
            {"name": "a", "count": 1}
            {"name": "a", "count": 1e3}
            {"name": "a", "cuont": 1}
            {"name": "a", "count": [1]}
            {"name": "a", "name": "b"}
            {"name": "a"
            {"count": 1}
            ["a"]
            """
        #expect(
            ReadFile(text).problems == [
                "line 2: count: must be an integer, not \"1e3\"",
                "line 3: cuont: is not a member that is known; they are name, count",
                "line 4: count: must be a string, a number or null, not \"[1]\"",
                "line 5: a key of this object stands twice, at byte 14",
                "line 6: JSON ends too early, at byte 12",
                "line 7: name: must be given: 1 to 200 bytes of text without control characters, and not only blanks",
                "line 8: must be a JSON object, at byte 0",
            ])
    }

    @Test("A line that is too long ends the reading, before all of it is held")
    func tooLong() {
        let text = "{\"name\": \"a\"}\n{\"name\": \"" + String(repeating: "a", count: 70_000)
        #expect(ReadFile(text).problems == ["line 2: a line must have at most 65536 bytes"])
    }

    @Test("Names that would change what a terminal shows are refused, and are escaped in the message")
    func control() {
        let read = ReadFile("{\"name\": \"a\\u001b[2J\"}\n{\"name\": \"a\u{202E}b\"}")
        #expect(read.problems.count == 2)
        #expect(read.problems.first?.hasSuffix("not \"a\\u001b[2J\"") == true)
    }
}
