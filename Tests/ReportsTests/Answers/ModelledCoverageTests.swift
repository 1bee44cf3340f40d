import Foundation
import TestSupport
import Testing

/// Runs `tools/modelled-revenue.sql`, which makes up apps and asks the report, with few apps a cell.
@Suite(
    "The coverage of modelled revenue", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct ModelledCoverageTests {
    /// The apps of one cell: one distribution of amounts, one share of payers, one number of mapped values.
    private struct Cell {
        let amounts: String
        let expectedPayers: Double
        /// Percent; those after the first are of the apps that have an interval.
        let unknown, holds, above, below: Double
        let width, widthBefore: Double

        init(_ line: Substring) throws {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            try #require(cells.count == 12)
            func number(_ place: Int) throws -> Double { try #require(Double(cells[place])) }
            amounts = cells[0]
            expectedPayers = try number(4)
            (unknown, holds) = (try number(5), try number(6))
            (above, below) = (try number(7), try number(8))
            (width, widthBefore) = (try number(9), try number(11))
        }
    }

    /// The distributions whose coverage is promised in docs/money.md: values are withheld at random, each is one sum.
    private static let promised: Set = ["lognormal 1", "lognormal 1.5", "prices", "12 campaigns"]

    private func cells(apps: Int) async throws -> [Cell] {
        let result = try await ChildProcess.run(
            "/usr/bin/env",
            [
                "psql", TestDatabase.current.url, "-XAtq", "-v", "apps=\(apps)", "-f",
                TestEnvironment.root + "tools/modelled-revenue.sql",
            ])
        let text = String(decoding: result.output, as: UTF8.self)
        try #require(result.code == 0, "\(String(decoding: result.errors, as: UTF8.self))")
        return try text.split(separator: "\n").map { try Cell($0) }
    }

    private func mean(_ cells: [Cell], _ figure: KeyPath<Cell, Double>) -> Double {
        cells.reduce(0) { $0 + $1[keyPath: figure] } / Double(cells.count)
    }

    // 50 apps a cell: a cell of 95 percent has 89 to 100. All cells together are far more exact.
    @Test("The interval holds as often as docs/money.md promises, with ten expected payers and with fewer")
    func coverage() async throws {
        let cells = try await cells(apps: 50)
        #expect(cells.count == 130)
        let promised = cells.filter { Self.promised.contains($0.amounts) }
        for cell in promised { #expect(cell.unknown == 0 && cell.holds >= 86, "\(cell)") }
        let (many, few) = (
            promised.filter { $0.expectedPayers >= 10 }, promised.filter { $0.expectedPayers < 10 }
        )
        #expect(many.count == 31 && few.count == 54)
        #expect((93...99).contains(mean(many, \.holds)))
        #expect(mean(many, \.above) <= 6 && mean(many, \.below) <= 6)
        #expect(mean(few, \.holds) >= 93)
        // In many of these apps no mapped value brought revenue: the former interval vanished then.
        #expect(few.allSatisfy { $0.width > 0 } && few.contains { $0.widthBefore == 0 })
        // What is made up is rolled back.
        #expect(try await TestDatabase.current.value("SELECT count(*) FROM attribution.line") == "0")
    }
}
