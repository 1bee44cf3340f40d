/// The parameters of a statement, in order, in PostgreSQL's binary format.
///
/// All values lie in one buffer, so that a parameter costs no allocation of its own. Each parameter is declared with
/// its type: `Int64` is sent as `int8` and nothing else. Use arrays with `unnest` to send many rows.
///
/// Scalars of the types that are `PostgresEncodable` (`Bool`, `Int16`, `Int32`, `Int64`, `Double`, `String`, `UUID`,
/// `PostgresTimestamp`, `PostgresDate`), and arrays of them, are appended without a label; bytes need one that tells
/// `bytea` from `json`.
public struct PostgresBindings: Sendable {
    private(set) var buffer: [UInt8] = []
    private(set) var types: [PostgresType] = []
    private(set) var slots: [Slot] = []

    /// Where a parameter lies in the buffer; the length −1 stands for NULL, as in the protocol.
    struct Slot: Sendable, Equatable {
        var offset: Int
        var length: Int
    }

    /// Starts without parameters.
    public init() {}

    /// The number of parameters; a statement takes at most 65,535.
    public var count: Int { slots.count }

    /// Appends a parameter, NULL for nil.
    public mutating func append<T: PostgresEncodable>(_ value: T?) {
        appendParameter(of: T.postgresType) { buffer in
            guard let value else { return false }
            value.encode(into: &buffer)
            return true
        }
    }

    /// Appends a `bytea` parameter, NULL for nil.
    public mutating func append(bytea bytes: [UInt8]?) {
        appendParameter(of: .bytea) { $0.append(optional: bytes) }
    }

    /// Appends a `json` parameter, NULL for nil; the server keeps these very bytes and checks that they are JSON.
    public mutating func append(json bytes: [UInt8]?) {
        appendParameter(of: .json) { $0.append(optional: bytes) }
    }

    /// Appends a `date` parameter, NULL for nil.
    public mutating func append(date: PostgresDate?) {
        append(date)
    }

    /// Appends an array parameter.
    public mutating func append<C: Collection>(_ values: C) where C.Element: PostgresEncodable {
        appendArray(of: C.Element.postgresType, values) { value, buffer in
            value.encode(into: &buffer)
            return true
        }
    }

    /// Appends an array parameter whose elements are NULL where they are nil.
    public mutating func append<C: Collection, T: PostgresEncodable>(_ values: C) where C.Element == T? {
        appendArray(of: T.postgresType, values) { value, buffer in
            guard let value else { return false }
            value.encode(into: &buffer)
            return true
        }
    }

    /// Appends a `bytea[]` parameter.
    public mutating func append(byteas values: [[UInt8]]) {
        appendArray(of: .bytea, values) { $1.append(optional: $0) }
    }

    /// Appends a `bytea[]` parameter whose elements are NULL where they are nil.
    public mutating func append(byteas values: [[UInt8]?]) {
        appendArray(of: .bytea, values) { $1.append(optional: $0) }
    }

    /// Appends a `json[]` parameter.
    public mutating func append(jsons values: [[UInt8]]) {
        appendArray(of: .json, values) { $1.append(optional: $0) }
    }

    /// Appends a `json[]` parameter whose elements are NULL where they are nil.
    public mutating func append(jsons values: [[UInt8]?]) {
        appendArray(of: .json, values) { $1.append(optional: $0) }
    }

    /// Appends a `date[]` parameter.
    public mutating func append(dates values: [PostgresDate]) {
        append(values)
    }

    /// Appends a `date[]` parameter whose elements are NULL where they are nil.
    public mutating func append(dates values: [PostgresDate?]) {
        append(values)
    }
}

extension PostgresBindings {
    /// Appends one parameter; `encode` appends its bytes, or tells by false that it is NULL.
    mutating func appendParameter(of type: PostgresType, _ encode: (inout [UInt8]) -> Bool) {
        let offset = buffer.count
        let isPresent = encode(&buffer)
        types.append(type)
        slots.append(Slot(offset: offset, length: isPresent ? buffer.count - offset : -1))
        // An empty value still needs an address, or libpq takes it for NULL.
        if isPresent, buffer.count == offset { buffer.append(0) }
    }

    /// Appends a one-dimensional array: dimensions, null flag, element type, count, lower bound, then the elements.
    ///
    /// The format is that of `array_send` in the server; an empty array has no dimension.
    private mutating func appendArray<C: Collection>(
        of element: PostgresType,
        _ values: C,
        _ encode: (C.Element, inout [UInt8]) -> Bool
    ) {
        let count = values.count
        // A type without an array type is sent as `unknown`, which the server refuses by its code.
        appendParameter(of: PostgresType.arrays[element] ?? PostgresType(id: 705)) { buffer in
            buffer.append(bigEndian: Int32(count == 0 ? 0 : 1))
            let nullFlag = buffer.count
            buffer.append(bigEndian: Int32(0))
            buffer.append(bigEndian: element.id)
            guard count > 0 else { return true }
            buffer.append(bigEndian: Int32(clamping: count))
            buffer.append(bigEndian: Int32(1))
            for value in values {
                let start = buffer.count
                buffer.append(bigEndian: Int32(-1))
                if encode(value, &buffer) {
                    buffer.overwrite(at: start, bigEndian: Int32(clamping: buffer.count - start - 4))
                } else {
                    buffer.overwrite(at: nullFlag, bigEndian: 1)
                }
            }
            return true
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(optional bytes: [UInt8]?) -> Bool {
        guard let bytes else { return false }
        append(contentsOf: bytes)
        return true
    }
}
