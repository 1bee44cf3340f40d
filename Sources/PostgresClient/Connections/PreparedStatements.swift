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
