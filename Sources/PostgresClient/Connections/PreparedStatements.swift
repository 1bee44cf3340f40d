/// The statements that one connection has prepared.
struct PreparedStatements {
    /// Beyond this number statements are sent unprepared: only texts made up at run time can get there.
    static let limit = 256

    /// A statement is prepared for the types of its parameters: others need a preparation of their own.
    struct Key: Hashable {
        let statement: PostgresStatement
        let types: [PostgresType]
    }

    private var names: [Key: String] = [:]
    private var serial = 0

    /// True if no more may be added.
    var isFull: Bool { names.count >= Self.limit }

    /// The name under which a statement was prepared.
    subscript(key: Key) -> String? { names[key] }

    /// Makes a name that this connection has not had yet.
    ///
    /// Readable, then unmistakable: the statement's name, a hash of its text, a number. The server cuts at 63 bytes.
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

    /// Notes that a statement is prepared.
    mutating func add(_ key: Key, as name: String) {
        names[key] = name
    }

    /// Forgets a statement, so that its next use prepares it again.
    mutating func remove(_ key: Key) {
        names[key] = nil
    }
}
