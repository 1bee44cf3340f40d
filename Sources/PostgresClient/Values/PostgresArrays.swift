/// Rows as arrays, one array for each column.
///
/// They are the parameters of a statement with `unnest`.
///
/// All rows must have the same types. The type of a NULL counts too.
package struct PostgresArrays: Sendable {
    @usableFromInline
    struct Column: Sendable {
        /// Room for the header of the array, then its elements.
        @usableFromInline var elements = [UInt8](repeating: 0, count: PostgresArrays.headerSize)
        @usableFromInline var type: PostgresType?
        @usableFromInline var hasNull = false

        @usableFromInline
        init() {}
    }

    /// The bytes before the elements: dimensions, null flag, element type, count, lower bound.
    @usableFromInline static var headerSize: Int { 20 }

    @usableFromInline var columns: [Column]
    @usableFromInline var next = 0
    private(set) var count = 0

    /// Starts without rows.
    ///
    /// - Parameters:
    ///   - columns: The number of columns.
    ///   - rows: About how many rows will be appended.
    ///   - lastColumn: The bytes of all values of the last column, if they are long. Without it the column would grow
    ///     while they are appended, and copy those that it has.
    package init(columns: Int, rows: Int, lastColumn: Int = 0) {
        self.columns = Array(repeating: Column(), count: columns)
        for index in self.columns.indices {
            let long = index == columns - 1 ? lastColumn : 0
            self.columns[index].elements.reserveCapacity(Self.headerSize + rows * 20 + long)
        }
    }

    /// Begins a row.
    ///
    /// Its values are appended next.
    package mutating func beginRow() {
        precondition(next == (count == 0 ? 0 : columns.count), "a row has a value for each column")
        count += 1
        next = 0
    }

    /// Appends a value, NULL for nil.
    @inlinable
    package mutating func append<Value: PostgresEncodable>(_ value: Value?) {
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

    /// Appends bytes for a column of type `text`.
    ///
    /// The server checks that they are UTF-8.
    package mutating func append(text bytes: [UInt8]) {
        columns[next].type = .text
        columns[next].elements.append(bigEndian: Int32(clamping: bytes.count))
        columns[next].elements.append(contentsOf: bytes)
        next += 1
    }
}

extension PostgresBindings {
    /// Appends an array parameter for each column.
    ///
    /// The bytes are not copied if the caller consumes the arrays. The format is that of `array_send` in the server.
    package mutating func append(_ arrays: consuming PostgresArrays) {
        for index in arrays.columns.indices {
            // If the type has no array type, it is sent as `unknown`. The server then answers with an error.
            let type = arrays.columns[index].type.flatMap { PostgresType.arrays[$0] } ?? PostgresType(id: 705)
            append(column: arrays.takeArray(at: index), of: type)
        }
    }
}

extension PostgresArrays {
    /// Takes the bytes of a column out, with the header before them; an empty array has no dimension.
    fileprivate mutating func takeArray(at index: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        swap(&bytes, &columns[index].elements)
        bytes.overwrite(at: 0, bigEndian: count == 0 ? 0 : 1)
        bytes.overwrite(at: 4, bigEndian: columns[index].hasNull ? 1 : 0)
        bytes.overwrite(at: 8, bigEndian: Int32(bitPattern: columns[index].type?.id ?? 0))
        guard count > 0 else { return Array(bytes.prefix(12)) }
        bytes.overwrite(at: 12, bigEndian: Int32(clamping: count))
        bytes.overwrite(at: 16, bigEndian: 1)
        return bytes
    }
}
