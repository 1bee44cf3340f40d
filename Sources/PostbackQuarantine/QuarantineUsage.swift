import PostbackStore
import PostgresClient

/// The size of the quarantine's two halves, while its lock is held.
struct QuarantineUsage {
    private struct Half {
        var rows: Int64 = 0
        var bytes: Int64 = 0
    }

    private var halves: [Bool: Half] = [:]

    init(over connection: isolated PostgresConnection) throws {
        for row in try connection.query(QuarantineStatements.lockUsage) {
            var columns = ColumnCursor(row)
            let isProtected: Bool = try columns.next()
            halves[isProtected] = Half(rows: try columns.next(), bytes: try columns.next())
        }
    }

    mutating func add(rows: Int64, bytes: Int64, isProtected: Bool) {
        halves[isProtected, default: Half()].rows += rows
        halves[isProtected, default: Half()].bytes += bytes
    }

    /// Deletes rows until both halves are within the limits, and no more.
    mutating func trim(to limits: QuarantineLimits, over connection: isolated PostgresConnection) throws {
        for isProtected in [false, true] {
            while let half = halves[isProtected], half.rows > limits.maximumRows || half.bytes > limits.maximumBytes {
                var bindings = PostgresBindings()
                bindings.append(isProtected)
                bindings.append(half.rows - limits.maximumRows)
                bindings.append(half.bytes - limits.maximumBytes)
                let deleted = try connection.query(QuarantineStatements.deleteOldest, bindings)
                guard !deleted.isEmpty else { break }
                for row in deleted {
                    add(rows: -1, bytes: -(try row.decode(Int64.self, at: 0)), isProtected: isProtected)
                }
            }
        }
    }

    func save(over connection: isolated PostgresConnection) throws {
        for (isProtected, half) in halves {
            var bindings = PostgresBindings()
            bindings.append(isProtected)
            bindings.append(half.rows)
            bindings.append(half.bytes)
            _ = try connection.query(QuarantineStatements.updateUsage, bindings)
        }
    }
}
