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
