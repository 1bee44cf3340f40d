/// Arrays as parameters.
extension PostgresBindings {
    /// Appends an array parameter.
    package mutating func append<C: Collection>(_ values: C) where C.Element: PostgresEncodable {
        appendArray(of: C.Element.postgresType, values) { value, buffer in
            value.encode(into: &buffer)
            return true
        }
    }

    /// Appends an array parameter; nil elements are NULL.
    package mutating func append<C: Collection, T: PostgresEncodable>(_ values: C) where C.Element == T? {
        appendArray(of: T.postgresType, values) { value, buffer in
            guard let value else { return false }
            value.encode(into: &buffer)
            return true
        }
    }

    /// Appends a `bytea[]` parameter.
    package mutating func append(byteas values: [[UInt8]]) {
        appendArray(of: .bytea, values) { $1.append(optional: $0) }
    }

    /// Appends a `bytea[]` parameter; nil elements are NULL.
    package mutating func append(byteas values: [[UInt8]?]) {
        appendArray(of: .bytea, values) { $1.append(optional: $0) }
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
        // If the type has no array type, it is sent as `unknown`. The server then answers with an error.
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
