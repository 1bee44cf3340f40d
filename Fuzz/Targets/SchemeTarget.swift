import AdAttribution
import ConversionSchemes
import Foundation
import Money
import StrictJSON

/// A file that says what conversion values mean: ours, or that of another company.
///
/// The first byte chooses the format. The second one chooses what the operator says about a foreign file: the app, the
/// currency, the measurement window.
package struct SchemeTarget: FuzzTarget {
    package static let name = "scheme"

    private let name: SchemeName
    private let from: SchemeTime
    private let app: AppID

    package init() throws {
        guard let name = SchemeName("imported"), let from = SchemeTime("2026-10-01T00:00:00Z"), let app = AppID(7)
        else {
            throw Finding("a name, a time or an app that is good is refused")
        }
        (self.name, self.from, self.app) = (name, from, app)
    }

    package func check(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let format = Int(reader.byte()) % (SchemeFormat.allCases.count + 1)
        let options = options(reader.byte())
        let file = reader.remainder()
        let result = Result { () throws(SchemeErrors) in
            guard format > 0 else { return (scheme: try SchemeFile.read(file), notes: [SchemeNote]()) }
            let converted = try SchemeFormat.allCases[format - 1].read(file, options)
            return (scheme: converted.output, notes: converted.notes)
        }
        switch result {
        case .failure(let refusal): try check(refusal, last: file.count { $0 == UInt8(ascii: "\n") } + 1)
        case .success(let read):
            try checkTree(file)
            try check(read.notes)
            try check(read.scheme)
        }
    }

    private func options(_ choice: UInt8) -> ImportOptions {
        var options = ImportOptions(name: name, validFrom: from)
        if choice & 1 != 0 { options.appID = app }
        if choice & 2 != 0 { options.currency = CurrencyCode(choice & 4 == 0 ? "EUR" : "USD") }
        if choice & 8 != 0 { options.measurementWindowHours = 48 }
        return options
    }

    /// A refusal names lines of the file and rules, in lines that are not long.
    private func check(_ refusal: SchemeErrors, last: Int) throws {
        try expect((1...100).contains(refusal.errors.count), "a refusal without problems")
        let lines = refusal.errors.map(\.line)
        try expect(lines == lines.sorted(), "problems are not in the order of their lines")
        for problem in refusal.errors {
            try expect((1...last).contains(problem.line), "line \(problem.line) of \(last)")
            try expect(!problem.error.field.isEmpty && !problem.error.rule.isEmpty, "a problem without field or rule")
            try Readable.check(problem.description, limit: 3_000)
        }
    }

    private func check(_ notes: [SchemeNote]) throws {
        for note in notes { try Readable.check(note.description, limit: 3_000) }
    }

    /// Another parser reads the file too, and the same members.
    private func checkTree(_ file: [UInt8]) throws {
        let tree = try LocatedJSON(object: file, maximumDepth: 16)
        guard case .object(let members) = tree.value else { throw Finding("a file that is no object") }
        let other = try OtherParser(file)
        try expect(Set(members.map(\.name)) == Set(other.object.keys), "other members")
    }

    /// A scheme is the same after it was written and read, and every format can write it.
    private func check(_ scheme: ConversionScheme) throws {
        let file = scheme.file
        let again = Result { () throws(SchemeErrors) in try SchemeFile.read(file) }
        guard case .success(let again) = again else { throw Finding("the canonical file is refused: \(again)") }
        try expect(again == scheme, "another scheme after it was written and read")
        try expect(again.file == file, "another canonical file")
        try expect(try OtherParser(file).integer("app-id") == scheme.appID.value, "another app")
        let fine = scheme.fineMeanings.map(\.value)
        try expect(zip(fine, fine.dropFirst()).allSatisfy(<), "a fine value stands twice")
        try expect(fine.count + scheme.unmapped.reduce(0) { $0 + $1.count } == 64, "values are mapped and unmapped")
        try checkRows(scheme.rows)
        for format in SchemeFormat.allCases {
            let converted = format.write(scheme)
            try check(converted.notes)
            let isUnread = converted.notes.contains { $0.text.hasPrefix("the file can't be read back") }
            try expect(!isUnread, "\(format) can't read what it wrote")
            _ = try OtherParser(converted.output)
        }
    }

    /// Reports can add up what the values mean.
    private func checkRows(_ rows: [MeaningRow]) throws {
        for row in rows {
            try expect(row.revenueHigh.map { $0 >= row.revenueLow } ?? true, "revenue ends before it begins")
            try expect(row.countHigh.map { $0 >= row.countLow } ?? true, "a count ends before it begins")
        }
        for (value, rows) in Dictionary(grouping: rows, by: { [$0.sequenceIndex: $0.value] }) {
            let revenue = rows.map { ($0.revenueHigh ?? $0.revenueLow).millionths }
            try expect(revenue.allSatisfy { $0 <= RevenueRange.limit.millionths }, "too much revenue of \(value)")
            try expect(revenue.reduce(0, +) <= RevenueRange.limit.millionths, "too much revenue of \(value)")
            try expect(Set(rows.map { $0.event?.text }).count == rows.count, "an event of \(value) stands twice")
        }
    }
}
