/// A named SQL text with the parameters `$1`, `$2` … .
///
/// The text that is sent begins with `-- name`, so `pg_stat_activity` and the server's log show the name.
/// Values are bound, never written into the text.
package struct PostgresStatement: Sendable, Hashable {
    /// The name, as errors and logs show it.
    package let name: String
    /// The SQL text, a single statement.
    package let sql: String

    /// FNV-1a of the text.
    ///
    /// It is part of the prepared statement's name, and it is hashed instead of the long text.
    let fingerprint: UInt64

    /// Names a single statement.
    ///
    /// - Parameters:
    ///   - name: Shown in errors, logs and `pg_stat_activity`; without line breaks.
    ///   - sql: A single statement.
    package init(_ name: StaticString, _ sql: String) {
        self.name = name.description
        self.sql = sql
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in sql.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        fingerprint = hash
    }

    /// What is sent: the name as a comment, then the text.
    var text: String { Self.text(named: name, sql) }

    static func text(named name: String, _ sql: String) -> String {
        // A line break would end the comment.
        "-- \(String(decoding: name.utf8.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self))\n\(sql)"
    }

    /// Hashes the name and the fingerprint.
    ///
    /// Equality compares the texts.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(fingerprint)
    }
}

/// The statements that one connection has prepared, and when each was last used.
///
/// Some texts change from day to day, because they name a partition. So the number of statements is limited: the one
/// not used for the longest time is deallocated before a new one is prepared.
struct PreparedStatements {
    /// The number of statements that a connection keeps prepared.
    static let limit = 256

    /// A statement is prepared for the types of its parameters.
    ///
    /// With other types it is prepared again.
    struct Key: Hashable {
        let statement: PostgresStatement
        let types: [PostgresType]
    }

    private struct Entry {
        let name: String
        var lastUse: UInt64
    }

    private var entries: [Key: Entry] = [:]
    private var serial = 0

    /// Counts the uses of all statements.
    ///
    /// So it orders them in time.
    private(set) var uses: UInt64 = 0

    /// The number of prepared statements.
    var count: Int { entries.count }

    /// The name under which a statement was prepared.
    ///
    /// This does not count as a use.
    subscript(key: Key) -> String? { entries[key]?.name }

    /// The name under which a statement was prepared.
    ///
    /// This counts as a use.
    mutating func use(_ key: Key) -> String? {
        guard let index = entries.index(forKey: key) else { return nil }
        uses += 1
        entries.values[index].lastUse = uses
        return entries.values[index].name
    }

    /// The statement that must be deallocated before another one is prepared; nil if there is room.
    ///
    /// It is the one that was not used for the longest time.
    ///
    /// - Parameter moment: An earlier value of `uses`. Statements that were used later are kept, even beyond the limit.
    func statementToRemove(unusedSince moment: UInt64) -> Key? {
        guard count >= Self.limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
            return nil
        }
        return oldest.value.lastUse <= moment ? oldest.key : nil
    }

    /// Makes a name that this connection has not had yet.
    ///
    /// It consists of the statement's name, a hash of its text and a serial number. The server cuts names at 63 bytes.
    mutating func makeName(for statement: PostgresStatement) -> String {
        serial += 1
        let readable = statement.name.utf8.prefix(24).map { byte in
            switch UnicodeScalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9": byte
            default: UInt8(ascii: "_")
            }
        }
        return "\(String(decoding: readable, as: UTF8.self))_\(String(statement.fingerprint, radix: 16))_\(serial)"
    }

    /// Adds a statement that was prepared.
    ///
    /// This counts as a use.
    mutating func add(_ key: Key, as name: String) {
        uses += 1
        entries[key] = Entry(name: name, lastUse: uses)
    }

    /// Removes a statement, so that it is prepared again when it is needed.
    mutating func remove(_ key: Key) {
        entries[key] = nil
    }
}
