/// A column of a report.
package struct ReportColumn: Sendable, Equatable {
    /// The name, as the database has it.
    package let name: String
    /// What its values are.
    package let form: ReportValue.Form
    /// Whether it says what a row is about, and not how much.
    ///
    /// The dimensions of a report are its key: no two rows have the same.
    package let isDimension: Bool
    /// What it means, and its unit.
    package let meaning: String
}
