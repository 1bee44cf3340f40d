/// Rows as arrays, one a column, to be sent as the parameters of a statement with `unnest`.
///
/// The type of a column is that of the first value appended to it, NULL included, so that each row must have the same types.
public struct PostgresArrays: Sendable {
    @usableFromInline
    struct Column: Sendable {
        @usableFromInline var elements: [UInt8] = []
        @usableFromInline var type: PostgresType?
        @usableFromInline var hasNull = false

        @usableFromInline
        init() {}
    }

    @usableFromInline var columns: [Column]
    @usableFromInline var next = 0
    private(set) var count = 0

    /// No rows yet, of so many columns; about so many are to come.
    public init(columns: Int, rows: Int) {
        self.columns = Array(repeating: Column(), count: columns)
        for index in self.columns.indices { self.columns[index].elements.reserveCapacity(rows * 20) }
    }

    /// Begins a row, whose values follow.
    public mutating func beginRow() {
        precondition(next == (count == 0 ? 0 : columns.count), "a row has a value for each column")
        count += 1
        next = 0
    }

    /// Appends a value, NULL for nil.
    @inlinable
    public mutating func append<Value: PostgresEncodable>(_ value: Value?) {
        let start = columns[next].elements.count
        columns[next].type = Value.postgresType
        columns[next].elements.append(bigEndian: Int32(-1))
        if let value {
            value.encode(into: &columns[next].elements)
            let length = columns[next].elements.count - start - 4
            columns[next].elements.overwrite(at: start, bigEndian: Int32(truncatingIfNeeded: length))
        } else {
            columns[next].hasNull = true
        }
        next += 1
    }

    /// Appends bytes for a column of type `text`, which the server checks to be UTF-8.
    public mutating func append(text bytes: [UInt8]) {
        columns[next].type = .text
        columns[next].elements.append(bigEndian: Int32(clamping: bytes.count))
        columns[next].elements.append(contentsOf: bytes)
        next += 1
    }

    /// Appends bytes for a column of type `json`.
    public mutating func append(json bytes: [UInt8]) {
        columns[next].type = .json
        columns[next].elements.append(bigEndian: Int32(clamping: bytes.count))
        columns[next].elements.append(contentsOf: bytes)
        next += 1
    }
}

extension PostgresBindings {
    /// Appends an array parameter for each column.
    ///
    /// The format is that of `array_send` in the server.
    public mutating func append(_ arrays: PostgresArrays) {
        for column in arrays.columns {
            // A type without an array type is sent as `unknown`, which the server refuses by its code.
            let type = column.type.flatMap { PostgresType.arrays[$0] } ?? PostgresType(id: 705)
            appendParameter(of: type) { buffer in
                buffer.append(bigEndian: Int32(arrays.count == 0 ? 0 : 1))
                buffer.append(bigEndian: Int32(column.hasNull ? 1 : 0))
                buffer.append(bigEndian: column.type?.id ?? 0)
                guard arrays.count > 0 else { return true }
                buffer.append(bigEndian: Int32(clamping: arrays.count))
                buffer.append(bigEndian: Int32(1))
                buffer.append(contentsOf: column.elements)
                return true
            }
        }
    }
}
