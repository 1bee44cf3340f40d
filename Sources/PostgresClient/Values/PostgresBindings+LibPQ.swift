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
        guard count <= 65_535, size <= Self.greatestSize else { throw PostgresError(.tooManyParameters) }
    }

    /// Sends a prepared statement with these parameters; returns what libpq returns.
    func sendPrepared(_ name: String, on handle: OpaquePointer) -> Int32 {
        withParameters { PQsendQueryPrepared(handle, name, $0.count, $0.values, $0.lengths, $0.formats, 1) }
    }

    /// Calls libpq with the parameters.
    ///
    /// libpq copies them.
    func withParameters<Result>(_ body: (Parameters) -> Result) -> Result {
        let lengths = slots.map { slot in
            switch slot {
            case .null: Int32(-1)
            case .shared(let range): Int32(clamping: range.count)
            case .column(let index): Int32(clamping: columns[index].count)
            }
        }
        let formats = [Int32](repeating: 1, count: count)
        let oids = types.map(\.id)
        return withAddresses { shared, columns in
            let values: [UnsafePointer<CChar>?] = slots.map { slot in
                let address: UnsafeRawPointer? =
                    switch slot {
                    case .null: nil
                    case .shared(let range): shared?.advanced(by: range.lowerBound)
                    case .column(let index): columns[index]
                    }
                return address?.assumingMemoryBound(to: CChar.self)
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

    /// Calls a body with the addresses of the buffer of all parameters and of each column.
    private func withAddresses<Result>(
        _ body: (_ shared: UnsafeRawPointer?, _ columns: [UnsafeRawPointer?]) -> Result
    ) -> Result {
        buffer.withUnsafeBytes { shared in
            var addresses: [UnsafeRawPointer?] = []
            addresses.reserveCapacity(columns.count)
            return withColumns(&addresses) { body(shared.baseAddress, $0) }
        }
    }

    /// Adds the addresses of the columns that have none yet, and calls the body inside.
    private func withColumns<Result>(
        _ addresses: inout [UnsafeRawPointer?], _ body: ([UnsafeRawPointer?]) -> Result
    ) -> Result {
        guard addresses.count < columns.count else { return body(addresses) }
        return columns[addresses.count].withUnsafeBytes { column in
            addresses.append(column.baseAddress)
            return withColumns(&addresses, body)
        }
    }
}
