import CLibPQ

extension PostgresBindings {
    /// The parameters as libpq's arrays.
    ///
    /// They are valid inside `withParameters` only.
    struct Parameters {
        let count: Int32
        let types: UnsafePointer<Oid>?
        let values: UnsafePointer<UnsafePointer<CChar>?>?
        let lengths: UnsafePointer<Int32>?
        let formats: UnsafePointer<Int32>?
    }

    /// The greatest size of all values that are sent at once, in bytes.
    static var greatestSize: Int { 1 << 30 }

    /// Throws if there are too many parameters, or if they are too large, for libpq or the server.
    func checkLimits() throws(PostgresError) {
        guard count <= 65_535, buffer.count <= Self.greatestSize else { throw PostgresError(.tooManyParameters) }
    }

    /// Sends a prepared statement with these parameters; returns what libpq returns.
    func sendPrepared(_ name: String, on handle: OpaquePointer) -> Int32 {
        withParameters { PQsendQueryPrepared(handle, name, $0.count, $0.values, $0.lengths, $0.formats, 1) }
    }

    /// Calls libpq with the parameters.
    ///
    /// libpq copies them.
    func withParameters<Result>(_ body: (Parameters) -> Result) -> Result {
        let lengths = slots.map { Int32(clamping: $0.length) }
        let formats = [Int32](repeating: 1, count: count)
        let oids = types.map(\.id)
        return buffer.withUnsafeBytes { bytes in
            let values: [UnsafePointer<CChar>?] = slots.map { slot in
                guard slot.length >= 0 else { return nil }
                return bytes.baseAddress?.advanced(by: slot.offset).assumingMemoryBound(to: CChar.self)
            }
            return values.withUnsafeBufferPointer { values in
                lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer { formats in
                        oids.withUnsafeBufferPointer { oids in
                            body(
                                Parameters(
                                    count: Int32(slots.count),
                                    types: oids.baseAddress,
                                    values: values.baseAddress,
                                    lengths: lengths.baseAddress,
                                    formats: formats.baseAddress
                                )
                            )
                        }
                    }
                }
            }
        }
    }
}
