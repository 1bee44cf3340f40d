import PostgresClient
import Testing

@testable import PostbackStore
@testable import Reports

extension PostbackStore {
    /// A query of a report; parameters are written `name=value`.
    func query(_ name: String, _ parameters: [String] = [], today: String = "2026-09-30") async throws -> ReportQuery {
        let report = try #require(try await reportCatalog()[name])
        return try ReportQuery(
            report,
            parameters: parameters.map { parameter in
                let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
            }, today: #require(PostgresDate(today)))
    }

    /// All rows of a report.
    func rows(_ name: String, _ parameters: [String] = []) async throws -> [[String?]] {
        let report = try await open(query(name, parameters))
        var rows: [[String?]] = []
        while let more = try await report.next() { rows += more }
        return rows
    }

    /// All rows of a report, page by page.
    func rowsOfPages(_ name: String, _ parameters: [String], limit: Int) async throws -> [[String?]] {
        var rows: [[String?]] = []
        var page: String?
        repeat {
            let report = try await open(
                query(name, parameters + ["limit=\(limit)"] + (page.map { ["page=\($0)"] } ?? [])))
            var count = 0
            while let more = try await report.next() {
                rows += more
                count += more.count
            }
            #expect(count == limit || report.nextPage == nil)
            page = report.nextPage
        } while page != nil
        return rows
    }
}
