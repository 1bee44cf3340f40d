import CLibPQ
import Glibc

/// What PostgreSQL or libpq says of a failure, without values of rows and without secrets.
///
/// DETAIL is never read: it has the values of keys and of whole rows. The primary message and the hint are passed on by the
/// class of the SQLSTATE, since some classes have values in them: "invalid input syntax for type integer: ..." (22), texts
/// of functions (P0, 38, 39), errors of other servers (HV). Of the context only lines that name a function or a node are
/// passed on: others have a row of a COPY, or the parameters of a statement.
enum ServerMessage {
    /// The classes whose messages name objects, limits, files and states only.
    ///
    /// Source: Appendix A of the PostgreSQL manual, and the messages in its source. `AA` is this project's own.
    private static let harmlessClasses: Set<Substring> = [
        "08", "0A", "21", "23", "25", "26", "28", "2B", "2D", "34", "3B", "3D", "3F", "40", "42", "53", "54", "55",
        "57", "58", "AA", "F0", "XX",
    ]

    /// How harmless lines of a context begin: the function, and the node of a Citus cluster.
    private static let harmlessContexts = ["PL/pgSQL function ", "SQL function ", "while executing command on "]

    private static let withheld = "withheld, since it may have values of rows; the log of PostgreSQL has it"

    /// The greatest number of characters that are passed on.
    private static let limit = 500

    /// What the server says; without a SQLSTATE what libpq says.
    static func text(of result: OpaquePointer?, _ sqlState: SQLState?) -> String? {
        func field(_ code: Int32) -> String? {
            PQresultErrorField(result, code).map { String(cString: $0) }
        }
        guard let sqlState else { return ofLibPQ(PQresultErrorMessage(result)) }
        guard harmlessClasses.contains(sqlState.classCode) else { return withheld }
        guard var text = field(CLIBPQ_DIAG_MESSAGE_PRIMARY) else { return nil }
        if let hint = field(CLIBPQ_DIAG_MESSAGE_HINT) { text += "; hint: " + hint }
        let context = (field(CLIBPQ_DIAG_CONTEXT) ?? "").split(separator: "\n")
        for line in context where harmlessContexts.contains(where: { line.hasPrefix($0) }) { text += "; in: " + line }
        return clean(text)
    }

    /// What libpq itself says of a connection: of the network and of TLS, never of rows.
    static func ofLibPQ(_ message: UnsafePointer<CChar>?) -> String? {
        guard let message else { return nil }
        let lines = String(cString: message).split(separator: "\n").filter { !$0.hasPrefix("\t") }
        return lines.isEmpty ? nil : clean(lines.joined(separator: "; "))
    }

    /// What libpq says of an attempt to connect: the first line about each host.
    ///
    /// - Returns: nil if a secret is in it, or may be: a password with `@` in a URI is taken for a part of the host.
    static func ofAttempt(_ message: String, secrets: [String]) -> String? {
        guard !message.contains("@"), !secrets.contains(where: { !$0.isEmpty && message.contains($0) }) else {
            return nil
        }
        let lines = message.split(separator: "\n").filter { line in
            !line.hasPrefix("\t") && !["DETAIL:", "HINT:", "CONTEXT:", "LOCATION:"].contains { line.hasPrefix($0) }
        }
        return lines.isEmpty ? nil : clean(lines.joined(separator: "; "))
    }

    /// A message without the names of files with secrets that are not there.
    ///
    /// Perhaps the key itself stands in the connection string where the name of its file belongs.
    static func withoutMissingFiles(_ message: String, _ parameters: PostgresConfiguration.Parameters) -> String {
        var message = message
        for parameter in parameters where ["sslkey", "passfile"].contains(parameter.keyword) {
            guard !parameter.value.isEmpty, access(parameter.value, F_OK) != 0 else { continue }
            message = message.replacing(parameter.value, with: "…")
        }
        return message
    }

    /// One line without control characters, not too long.
    private static func clean(_ text: String) -> String {
        let line = text.unicodeScalars.prefix(limit).map { $0.properties.generalCategory == .control ? " " : $0 }
        return String(String.UnicodeScalarView(line)) + (text.unicodeScalars.count > limit ? "…" : "")
    }
}
