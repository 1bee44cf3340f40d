/// A statement of a pipeline, with its values.
public struct PostgresPipelineStep: Sendable {
    /// The statement: a single one, no COPY.
    public let statement: PostgresStatement
    /// A value for each parameter of the statement.
    public let bindings: PostgresBindings

    /// Joins a statement and its values.
    ///
    /// - Parameters:
    ///   - statement: A single statement, no COPY.
    ///   - bindings: A value for each of its parameters.
    public init(_ statement: PostgresStatement, _ bindings: PostgresBindings = PostgresBindings()) {
        self.statement = statement
        self.bindings = bindings
    }
}
