import AdAttribution
import CampaignData
import Money
import PostgresClient
import TabularFiles

/// A table of an operator, CSV or NDJSON, read in parts.
///
/// The first byte chooses what a row is: texts, a row of the mapping, a cost or a currency rate. The second one is the
/// size of the parts. The third one makes the last line longer than a row may be.
package struct TableTarget: FuzzTarget {
    package static let name = "table"

    package init() {}

    package func check(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let kind = reader.byte() % 4
        let size = Int(reader.byte()) + 1
        let filler = [UInt8](repeating: UInt8(ascii: "x"), count: Int(reader.byte() % 4) * 24_000)
        let file = reader.remainder() + filler
        let partSize = filler.isEmpty ? size : size * 256
        switch kind {
        case 0: try PlainRow.check(file, TableReading(file, partSize: partSize))
        case 1: try checkMapping(TableReading(file, partSize: partSize))
        case 2: try checkSpend(TableReading(file, partSize: partSize))
        default: try checkRates(TableReading(file, partSize: partSize))
        }
    }

    /// What was read is the same after it was written, and two rows that could tie are refused.
    private func checkMapping(_ reading: TableReading<CampaignMapping>) throws {
        guard reading.refusal == nil else { return }
        try checkRoundTrip(reading) { $0.fields }
        for mapping in reading.records {
            try expect(mapping.validTo.map { $0 >= mapping.validFrom } ?? true, "days end before they begin")
            try expect(CampaignMapping.coolDownRange.contains(mapping.coolDownDays), "another cool-down")
        }
        // Few, since each is compared with each.
        let rows = zip(reading.records, reading.lines).prefix(60).map { CampaignMappingFile.Entry($0, line: $1) }
        let refusal = Result { () throws(TableErrors) in try CampaignMappingFile(rows) }.failure
        try expect((refusal != nil) == Self.tie(rows.map(\.mapping)), "rows that tie are accepted, or others refused")
        if let refusal { try TableReading<CampaignMapping>.check(refusal, last: rows.last?.line ?? 1) }
    }

    /// Whether two rows have the same conditions, and both would name the postbacks of one day.
    private static func tie(_ mappings: [CampaignMapping]) -> Bool {
        mappings.indices.contains { index in
            mappings[..<index].contains { other in
                let pair = [mappings[index], other].sorted { $0.validFrom < $1.validFrom }
                return conditions(pair[0]) == conditions(pair[1])
                    && (pair[0].validFrom == pair[1].validFrom
                        || pair[0].validTo.map { $0 >= pair[1].validFrom } ?? false)
            }
        }
    }

    private static func conditions(_ mapping: CampaignMapping) -> [String?] {
        [mapping.conditions.network.matchingForm] + mapping.fields[1...6]
    }

    /// A cost stands in a file once, and what is replaced is what the file has.
    private func checkSpend(_ reading: TableReading<SpendRow>) throws {
        guard reading.refusal == nil else { return }
        try checkRoundTrip(reading) { row in
            Self.key(row) + [row.currency.text, row.spend.text]
                + [row.impressions, row.clicks, row.installs].map { $0.map { String($0) } }
        }
        var check = SpendFileCheck()
        var keys: Set<[String?]> = []
        for (row, line) in zip(reading.records, reading.lines) {
            var key = Self.key(row)
            key[1] = row.network.matchingForm
            let isNew = keys.insert(key).inserted
            let isTaken = (try? check.take(row, line: line)) != nil
            try expect(isTaken == isNew, isNew ? "a cost that stands once is refused" : "a cost stands twice")
        }
        try expect(check.rows == keys.count, "\(check.rows) costs of \(keys.count)")
        try expect(check.scopes == Set(reading.records.map(\.scope)), "other days, networks and apps")
    }

    private static func key(_ row: SpendRow) -> [String?] {
        [
            row.day.description, row.network.text, String(row.advertisedAppID.value), row.campaignID, row.adGroupID,
            row.creativeID, row.country?.text,
        ]
    }

    /// A rate is above 0, and stands in a file once.
    private func checkRates(_ reading: TableReading<CurrencyRate>) throws {
        guard reading.refusal == nil else { return }
        try checkRoundTrip(reading) { [$0.day.description, $0.currency.text, $0.unitsPerUSD.text] }
        var file = CurrencyRateFile()
        var keys: Set<[String]> = []
        for (rate, line) in zip(reading.records, reading.lines) {
            try expect(rate.unitsPerUSD > .zero, "a rate of 0")
            try expect(rate.currency != .usDollar || rate.unitsPerUSD == .one, "a dollar is not a dollar")
            let isNew = keys.insert([rate.day.description, rate.currency.text]).inserted
            let isTaken = (try? file.take(rate, line: line)) != nil
            try expect(isTaken == isNew, isNew ? "a rate that stands once is refused" : "a rate stands twice")
        }
        try expect(file.rates.count == keys.count, "\(file.rates.count) rates of \(keys.count)")
    }

    /// Writes the texts of each record as CSV, and reads them again.
    private func checkRoundTrip<Record: TableRecord & Equatable>(
        _ reading: TableReading<Record>, _ texts: (Record) -> [String?]
    ) throws {
        let names = Record.Column.allCases.map { Optional($0.name) }
        let file = ([names] + reading.records.map(texts)).map(CSVText.row).joined()
        let again = try TableReading<Record>(Array(file.utf8), partSize: 1_000)
        try expect(again.records == reading.records, "other rows after they were written and read")
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
