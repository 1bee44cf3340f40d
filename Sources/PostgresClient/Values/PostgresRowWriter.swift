/// Takes the values of rows one after the other, whatever becomes of them.
public protocol PostgresRowWriter {
    /// Begins a row, whose values follow in the order of the columns.
    mutating func beginRow()

    /// Appends a value, NULL for nil.
    mutating func append<Value: PostgresEncodable>(_ value: Value?)

    /// Appends bytes for a column of type `json`.
    mutating func append(json bytes: [UInt8])
}
