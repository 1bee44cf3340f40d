/// The five-character error code of the SQL standard, as PostgreSQL reports it.
///
/// The list of codes is Appendix A of the PostgreSQL manual.
package struct SQLState: Sendable, Hashable, CustomStringConvertible {
    /// The code: five characters of `0`–`9` and `A`–`Z`.
    package let code: String

    /// Reads a code; nil if it is not five characters of `0`–`9` and `A`–`Z`.
    package init?(_ code: String) {
        guard code.utf8.count == 5, code.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.code = code
    }

    private init(known code: String) {
        self.code = code
    }

    /// The class of the code: its first two characters, such as `08` for connection exceptions.
    package var classCode: Substring { code.prefix(2) }

    /// The code itself.
    package var description: String { code }

    static func isAllowed(_ character: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character)
    }
}

extension SQLState {
    /// 0A000: not supported.
    ///
    /// One case is "cached plan must not change result type".
    package static let featureNotSupported = SQLState(known: "0A000")
    /// 22021: text that the encoding does not allow, such as a zero character.
    package static let characterNotInRepertoire = SQLState(known: "22021")
    /// 23505: a unique key is violated.
    package static let uniqueViolation = SQLState(known: "23505")
    /// 23514: a check constraint is violated.
    package static let checkViolation = SQLState(known: "23514")
    /// 25006: the session, or the server, allows no writing.
    package static let readOnlyTransaction = SQLState(known: "25006")
    /// 26000: the prepared statement does not exist.
    package static let invalidStatementName = SQLState(known: "26000")
    /// 28000: this user may not connect.
    package static let invalidAuthorization = SQLState(known: "28000")
    /// 28P01: the password is wrong.
    package static let invalidPassword = SQLState(known: "28P01")
    /// 3D000: the database does not exist.
    package static let invalidCatalogName = SQLState(known: "3D000")
    /// 40001: the transaction could not be serialised; run it again.
    package static let serializationFailure = SQLState(known: "40001")
    /// 40P01: the transaction was rolled back to resolve a deadlock; run it again.
    package static let deadlockDetected = SQLState(known: "40P01")
    /// 42P01: the table does not exist.
    package static let undefinedTable = SQLState(known: "42P01")
    /// 42501: the privilege is missing.
    package static let insufficientPrivilege = SQLState(known: "42501")
    /// 53300: the server allows no more connections.
    package static let tooManyConnections = SQLState(known: "53300")
    /// 53400: a limit of the configuration, such as that of temporary files.
    package static let configurationLimitExceeded = SQLState(known: "53400")
    /// 55006: an object is in use.
    package static let objectInUse = SQLState(known: "55006")
    /// 55P03: a lock was not free within the lock timeout.
    package static let lockNotAvailable = SQLState(known: "55P03")
    /// 57014: the statement was cancelled, usually by the server's statement timeout.
    package static let queryCanceled = SQLState(known: "57014")
    /// 57P01: the session was ended by an administrator.
    package static let adminShutdown = SQLState(known: "57P01")
    /// 57P02: the session was ended because another one crashed.
    package static let crashShutdown = SQLState(known: "57P02")
    /// 57P03: the server is starting up, shutting down or recovering.
    package static let cannotConnectNow = SQLState(known: "57P03")
}
