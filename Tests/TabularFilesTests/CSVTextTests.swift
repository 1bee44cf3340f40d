import TestSupport
import Testing

@testable import TabularFiles

@Suite("Texts in CSV that a spreadsheet could run")
struct CSVTextTests {
    @Test(
        "Each part that a spreadsheet may take for a cell gets an apostrophe if it looks like a formula",
        arguments: [
            ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@SUM(A1)", "'@SUM(A1)"), ("＝1", "'＝1"), ("－1", "'－1"),
            ("a;=1+1", "a;'=1+1"), ("a;-1;+2", "a;'-1;'+2"), (";=1", ";'=1"), ("a\t=1", "a\t'=1"), ("\t=1", "'\t'=1"),
            ("a\n=1", "a\n'=1"), ("a\r\n=1", "a\r\n'=1"), (" =1", "' =1"), ("\u{A0}=1", "'\u{A0}=1"),
            ("a; =1", "a;' =1"), ("\"=1", "'\"=1"), ("a;\"=1", "a;'\"=1"), ("'=1", "''=1"), ("a;'=1", "a;''=1"),
            ("\tno", "'\tno"), ("\n", "'\n"),
        ])
    func formulas(text: String, written: String) {
        #expect(CSVText.withoutFormula(text) == written)
    }

    @Test(
        "Every other text stays as it is",
        arguments: [
            "", "a", "a=1", "a+b@c-d", "1;2", "a;b;", "a ;b =c", "Summer (50 %)", "'quoted'", "it's", "a'=1", ";", "; ",
            "example123.skadnetwork", "Ä🙂\u{301};é",
        ])
    func harmless(text: String) {
        #expect(CSVText.withoutFormula(text) == text)
        #expect(CSVText.withFormula(text) == text)
    }

    @Test("What is written is read again as it was, whatever is in it")
    func roundTrip() {
        let pieces = [
            "=", "+", "-", "@", "＝", ";", "\t", "\r", "\n", " ", "\u{A0}", "\"", "'", ",", "a", "1", "\u{301}", "🙂",
        ]
        var generator = SeededGenerator(seed: 28)
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                pieces[Int.random(in: pieces.indices, using: &generator)]
            }.joined()
            let written = CSVText.withoutFormula(text)
            #expect(Array(CSVText.withFormula(written).utf8) == Array(text.utf8))
            // No part begins like a formula any more, however a spreadsheet trims it.
            for cell in written.unicodeScalars.split(whereSeparator: { [";", "\t", "\r", "\n"].contains($0) }) {
                let first = cell.first { !$0.properties.isWhitespace && $0 != "\"" }
                #expect(first.map { !["=", "+", "-", "@", "＝"].contains($0) } ?? true, "\(text.debugDescription)")
            }
        }
    }

    @Test("A table is read without the apostrophes of its writer")
    func table() {
        let names = ["=1+1", "a;-2", "'=3", "it's", "-50% \"Summer\""]
        let text = ([["name"]] + names.map { [CSVText.withoutFormula($0)] }).map(CSVText.row).joined()
        let read = ReadFile(text, partSize: 7)
        #expect(read.problems == [])
        #expect(read.records == names.map { TestRecord($0) })
    }
}
