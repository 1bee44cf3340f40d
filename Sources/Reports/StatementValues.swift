import PostgresClient

/// The values of a statement: parameters if it runs, literals if people read it.
package struct StatementValues: Sendable {
    private(set) var bindings = PostgresBindings()
    private let areLiterals: Bool

    /// Begins without values.
    ///
    /// - Parameter areLiterals: Whether values are written into the text, for people who paste it elsewhere.
    package init(areLiterals: Bool = false) {
        self.areLiterals = areLiterals
    }

    /// What the text has in place of a value.
    package mutating func bind(_ value: ReportValue) -> String {
        areLiterals ? value.literal : value.bind(to: &bindings)
    }
}
