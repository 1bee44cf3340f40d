import Reports
import StrictJSON

/// The list of reports as JSON.
enum ReportListText {
    static func json(_ catalog: ReportCatalog) -> [UInt8] {
        let list: JSONDocument = ["reports": .array(catalog.reports.map(document))]
        return list.text()
    }

    private static func document(_ report: Report) -> JSONDocument {
        [
            "name": .string(report.name),
            "meaning": .string(report.meaning),
            "parameters": .array(
                report.parameters.map {
                    ["name": .string($0.name), "meaning": .string($0.meaning), "rule": "must be \($0.rule)"]
                }),
            "columns": .array(
                report.columns.map {
                    [
                        "name": .string($0.name), "type": .string($0.form.rawValue), "meaning": .string($0.meaning),
                        "dimension": .boolean($0.isDimension),
                    ]
                }),
        ]
    }
}
