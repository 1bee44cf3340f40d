/// A statement of a pipeline, with its values.
public struct PostgresPipelineStep: Sendable {
    /// A single statement, no COPY.
    public let statement: PostgresStatement
    /// A value for each parameter of the statement.
    public let bindings: PostgresBindings

    /// Takes a statement and its values.
    ///
    /// - Parameters:
    ///   - statement: A single statement, no COPY.
    ///   - bindings: A value for each of its parameters.
    public init(_ statement: PostgresStatement, _ bindings: PostgresBindings = PostgresBindings()) {
        self.statement = statement
        self.bindings = bindings
    }
}
