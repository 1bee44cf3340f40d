/// The rows of a `COPY … FROM STDIN (FORMAT binary)`, in one buffer as they are sent.
///
/// Each row takes one value for every column of the statement, in its order and of its type; the server refuses what
/// does not fit. Source: PostgreSQL manual, "COPY", "Binary Format".
public struct PostgresCopyRows: PostgresRowWriter, Sendable {
    @usableFromInline
    var buffer: [UInt8] = Self.header
    @usableFromInline
    let columns: Int16
    /// How many rows were begun.
    public private(set) var count = 0

    /// The signature, no flags, and no extension.
    private static let header: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)

    /// No rows yet, of this many columns, with room for so many bytes.
    public init(columns: Int16, capacity: Int = 0) {
        self.columns = columns
        buffer.reserveCapacity(buffer.count + capacity)
    }

    /// Begins a row, whose values follow.
    public mutating func beginRow() {
        count += 1
        buffer.append(bigEndian: columns)
    }

    /// Appends a value, NULL for nil.
    @inlinable
    public mutating func append<Value: PostgresEncodable>(_ value: Value?) {
        let start = buffer.count
        buffer.append(bigEndian: Int32(-1))
        guard let value else { return }
        value.encode(into: &buffer)
        buffer.overwrite(at: start, bigEndian: Int32(truncatingIfNeeded: buffer.count - start - 4))
    }

    /// Appends bytes for a column of type `json`.
    public mutating func append(json bytes: [UInt8]) {
        buffer.append(bigEndian: Int32(clamping: bytes.count))
        buffer.append(contentsOf: bytes)
    }

    /// The rows alone, without what stands before them.
    package var tuples: [UInt8] { Array(buffer[Self.header.count...]) }
}
