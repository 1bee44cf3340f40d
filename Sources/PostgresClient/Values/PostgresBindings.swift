/// The parameters of a statement, in order, in PostgreSQL's binary format.
///
/// All values are in one buffer, so a parameter needs no allocation of its own. Only the columns of `PostgresArrays` stay
/// in buffers of their own, so that they are not copied. Each parameter is declared with its type: `Int64` is always sent
/// as `int8`. Use arrays with `unnest` to send many rows.
///
/// Scalars and arrays of `PostgresEncodable` types are appended without a label. These are `Bool`, `Int16`, `Int32`,
/// `Int64`, `Double`, `String`, `UUID`, `PostgresTimestamp` and `PostgresDate`. For bytes, the label says whether they
/// are `bytea` or `json`.
package struct PostgresBindings: Sendable {
    private(set) var buffer: [UInt8] = []
    /// Whole parameters in buffers of their own.
    private(set) var columns: [[UInt8]] = []
    private(set) var types: [PostgresType] = []
    private(set) var slots: [Slot] = []

    /// Where a parameter is.
    enum Slot: Sendable, Equatable {
        case null
        /// In the buffer of all parameters.
        case shared(Range<Int>)
        /// A buffer of its own, by its index.
        case column(Int)
    }

    /// Starts without parameters.
    package init() {}

    /// The number of parameters; a statement takes at most 65,535.
    package var count: Int { slots.count }

    /// The bytes of all values.
    var size: Int { columns.reduce(buffer.count) { $0 + $1.count } }

    /// Appends a parameter, NULL for nil.
    package mutating func append<T: PostgresEncodable>(_ value: T?) {
        appendParameter(of: T.postgresType) { buffer in
            guard let value else { return false }
            value.encode(into: &buffer)
            return true
        }
    }

    /// Appends a `bytea` parameter, NULL for nil.
    package mutating func append(bytea bytes: [UInt8]?) {
        appendParameter(of: .bytea) { $0.append(optional: bytes) }
    }

    /// Appends a `json` parameter, NULL for nil.
    ///
    /// The server checks that the bytes are JSON, and stores them unchanged.
    package mutating func append(json bytes: [UInt8]?) {
        appendParameter(of: .json) { $0.append(optional: bytes) }
    }

    /// Appends a `date` parameter, NULL for nil.
    package mutating func append(date: PostgresDate?) {
        append(date)
    }
}

extension PostgresBindings {
    /// Appends one parameter.
    ///
    /// `encode` appends its bytes, or returns false if it is NULL.
    mutating func appendParameter(of type: PostgresType, _ encode: (inout [UInt8]) -> Bool) {
        let offset = buffer.count
        let isPresent = encode(&buffer)
        types.append(type)
        slots.append(isPresent ? .shared(offset..<buffer.count) : .null)
        // An empty value needs an address too. Otherwise libpq would send NULL.
        if isPresent, buffer.count == offset { buffer.append(0) }
    }

    /// Appends one parameter that has a buffer of its own.
    mutating func append(column: consuming [UInt8], of type: PostgresType) {
        types.append(type)
        slots.append(.column(columns.count))
        columns.append(column)
    }
}

extension [UInt8] {
    /// Appends bytes; false if there are none.
    mutating func append(optional bytes: [UInt8]?) -> Bool {
        guard let bytes else { return false }
        append(contentsOf: bytes)
        return true
    }
}
