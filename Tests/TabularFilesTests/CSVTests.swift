import TestSupport
import Testing

@testable import TabularFiles

@Suite("CSV files")
struct CSVTests {
    struct Good: CustomTestStringConvertible, Sendable {
        let text: String
        let records: [TestRecord]
        let lines: [Int]
        var testDescription: String { text.debugDescription }
    }

    static let good = [
        Good(text: "name,count\na,1\nb,2\n", records: [.init("a", 1), .init("b", 2)], lines: [2, 3]),
        Good(text: "name,count\r\na,1\r\nb,2", records: [.init("a", 1), .init("b", 2)], lines: [2, 3]),
        Good(text: "\u{FEFF}name,count\na,\n", records: [.init("a")], lines: [2]),
        Good(text: "count,name\n7,a", records: [.init("a", 7)], lines: [2]),
        Good(text: "name\na\n\n\r\nb\n", records: [.init("a"), .init("b")], lines: [2, 5]),
        Good(text: "\"name\",\"count\"\n\"a, b\",\"\"\n", records: [.init("a, b")], lines: [2]),
        Good(text: "name,count\n\"say \"\"hi\"\"\",1\n", records: [.init("say \"hi\"", 1)], lines: [2]),
        Good(text: "count,name\r\n1,a\r\n\r\n2,b\r\n", records: [.init("a", 1), .init("b", 2)], lines: [2, 4]),
        Good(text: "name\n a b \n", records: [.init(" a b ")], lines: [2]),
        Good(
            text: "name,count\n,\na,1\n\"\",\n,,,\nb,2\n,\r\n", records: [.init("a", 1), .init("b", 2)], lines: [3, 6]),
        Good(text: "name,count\nÄ🙂,3\n", records: [.init("Ä🙂", 3)], lines: [2]),
    ]

    @Test("Rows are read as RFC 4180 says, whatever the size of the parts", arguments: good, [1, 2, 3, 7, 1_000])
    func rows(_ file: Good, _ partSize: Int) {
        let read = ReadFile(file.text, partSize: partSize)
        #expect(read.problems == [])
        #expect(read.records == file.records)
        #expect(read.lines == file.lines)
    }

    @Test(
        "What parsers read differently is refused with its line, whatever the size of the parts",
        arguments: [
            ("name\na\nb\"c\n", "line 3: a field that contains a quote must be in quotes, and the quote be doubled"),
            (
                "name,count\n\"a\"b,1\n",
                "line 2: a comma or the end of the line must follow the closing quote of a field"
            ),
            (
                "name,count\n\"a\" ,1\n",
                "line 2: a comma or the end of the line must follow the closing quote of a field"
            ),
            ("name\n\"a\nb\nc", "line 2: a field begins with a quote, and the quote that ends it is missing"),
            ("name\na\rb\n", "line 2: a carriage return must be followed by a line feed"),
            ("name\na\r", "line 2: a carriage return must be followed by a line feed"),
            ("name,count\na\n", "line 2: has 1 field, but the header row has 2"),
            ("name,count\na,1,\n", "line 2: has 3 fields, but the header row has 2"),
            ("", "line 1: the file is empty"),
            ("\u{FEFF}\n\n", "line 1: the file is empty"),
            ("name,count\n", "line 1: the file has no rows behind its header row"),
            ("count\n1\n", "line 1: name: is missing in the header row"),
            ("name,name\na,b\n", "line 1: name: stands twice in the header row"),
            ("name,Count\na,b\n", "line 1: header row: must have the names name, count, not \"Count\""),
            (
                "name;count\na;b\n",
                "line 1: header row: has semicolons between the names; save the file as CSV with commas"
            ),
            (
                "name\tcount\na\tb\n",
                "line 1: header row: has tabs between the names; save the file as CSV with commas"
            ),
            ("nome;conto\na;b\n", "line 1: header row: must have the names name, count, not \"nome;conto\""),
            (
                "\"name\";\"count\"\n\"a\";\"b\"\n",
                "line 1: has a semicolon between fields; save the file as CSV with commas"
            ),
        ], [1, 3, 1_000])
    func refused(_ file: (text: String, problem: String), _ partSize: Int) {
        let read = ReadFile(file.text, partSize: partSize)
        #expect(read.problems == [file.problem])
    }

    @Test(
        "An empty field in quotes is a row, whichever way its line ends; an empty line is none",
        arguments: ["\n", "\r\n"])
    func emptyRow(_ end: String) {
        #expect(
            ReadFile(["name", "a", "\"\"", "", "b", ""].joined(separator: end)).problems == [
                "line 3: name: must be given: 1 to 200 bytes of text without control characters, and not only blanks"
            ])
    }

    @Test(
        "A file of UTF-16 is named as such, whatever the size of the parts", arguments: [1, 2, 1_000], [true, false])
    func otherEncoding(_ partSize: Int, _ isBigEndian: Bool) {
        let units = "\u{FEFF}name,count\r\na,1\r\n".utf16
        let bytes = units.flatMap { unit -> [UInt8] in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBigEndian ? [high, low] : [low, high]
        }
        #expect(ReadFile(bytes, partSize: partSize).problems == ["line 1: the file is UTF-16; save it as UTF-8"])
    }

    @Test("The line of a row behind a field with line ends is that of the file")
    func linesInQuotes() {
        let read = ReadFile("name,count\n\"a\n\nb\",1\nc,x\n")
        #expect(
            read.problems == [
                "line 2: name: must be 1 to 200 bytes of text without control characters, and not only blanks, not \"a\\n\\nb\"",
                "line 5: count: must be an integer, not \"x\"",
            ])
    }

    @Test("Bytes that are not UTF-8 are refused with line and field")
    func encoding() {
        let read = ReadFile(Array("name,count\na,1\n".utf8) + [0xFF, 0x2C, 0x31])
        #expect(read.problems == ["line 3: name: must be UTF-8"])
    }

    @Test("A row that is too long ends the reading, before all of it is held")
    func tooLong() {
        for text in [String(repeating: "a", count: 70_000), String(repeating: ",", count: 70_000)] {
            #expect(ReadFile("name\n" + text).problems == ["line 2: a row must have at most 65536 bytes"])
        }
    }

    @Test("Problems are gathered over rows, and the rest of the file is not read after the twentieth")
    func manyProblems() {
        #expect(ReadFile("name,count\n,x\na,1\nb\n").problems.count == 3)
        let many = ReadFile("name,count\na,1\n" + String(repeating: "b,x\n", count: 50))
        #expect(many.problems.count == 20)
        #expect(many.problems.last == "line 22: count: must be an integer, not \"x\"")
        let text = TableErrors((0..<30).map { TableError(line: $0, rule: "r") }).description
        #expect(text.hasSuffix("line 19: r\nthere may be more problems; these are the first 20"))
    }

    @Test("What is written as CSV is read as it was, for any text")
    func roundTrip() {
        var random = SeededGenerator(seed: 12)
        let characters = Array("ab,\"\n\r ä;🙂'=")
        for _ in 0..<300 {
            let fields = (0..<3).map { _ in
                String(
                    (0..<Int.random(in: 0...6, using: &random)).map { _ in
                        characters.randomElement(using: &random) ?? "a"
                    })
            }
            var scanner = CSVScanner()
            var rows: [[String?]] = []
            let bytes = Array(CSVText.row(fields).utf8)
            #expect(throws: Never.self) {
                try scanner.scan(bytes[...]) { record in rows.append(record.ends.indices.map(record.text)) }
                try scanner.finish { _ in }
            }
            #expect(rows == [fields])
        }
    }
}
