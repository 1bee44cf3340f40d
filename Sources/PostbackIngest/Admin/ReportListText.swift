import PostbackStore
import StrictJSON

/// The list of reports as JSON.
enum ReportListText {
    static func json(_ catalog: ReportCatalog) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { list in
            list.member("reports") { reports in
                reports.array { reports in
                    for report in catalog.reports { reports.element { write(report, to: &$0) } }
                }
            }
        }
        return writer.bytes
    }

    private static func write(_ report: Report, to writer: inout JSONWriter) {
        writer.object { members in
            members.member("name") { $0.string(report.name) }
            members.member("meaning") { $0.string(report.meaning) }
            members.member("parameters") { list in
                list.array { list in
                    for parameter in report.parameters {
                        list.element { element in
                            element.object { members in
                                members.member("name") { $0.string(parameter.name) }
                                members.member("meaning") { $0.string(parameter.meaning) }
                                members.member("rule") { $0.string("must be \(parameter.rule)") }
                            }
                        }
                    }
                }
            }
            members.member("columns") { list in
                list.array { list in
                    for column in report.columns {
                        list.element { element in
                            element.object { members in
                                members.member("name") { $0.string(column.name) }
                                members.member("type") { $0.string(column.form.rawValue) }
                                members.member("meaning") { $0.string(column.meaning) }
                                members.member("dimension") { $0.literal(column.isDimension ? "true" : "false") }
                            }
                        }
                    }
                }
            }
        }
    }
}
