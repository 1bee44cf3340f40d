/// Why a connection could not be made, found from libpq's message.
///
/// libpq has no error code for this.
struct ConnectFailure: Equatable {
    let sqlState: SQLState?
    let reason: String
    /// Whether libpq could not even try, because a value of the connection string is wrong.
    let isConfiguration: Bool

    /// Finds the SQLSTATE and the reason in libpq's message.
    ///
    /// The session asks for errors with a SQLSTATE, so a server's error looks like `FATAL:  28P01: password …`.
    /// libpq's own messages are in English, because the program does not call `setlocale`.
    init(message: String) {
        sqlState = Self.sqlState(in: message)
        isConfiguration = sqlState == nil && Self.configurationTexts.contains { message.hasPrefix($0) }
        if isConfiguration {
            reason = "the connection string"
        } else if let sqlState {
            reason = Self.reasonByState[sqlState] ?? "refused by the server"
        } else {
            reason = Self.reasonByText.first { message.contains($0.text) }?.reason ?? "no connection"
        }
    }

    private static let reasonByState: [SQLState: String] = [
        .invalidPassword: "authentication failed",
        .invalidAuthorization: "authentication failed",
        .invalidCatalogName: "no such database",
        .insufficientPrivilege: "not permitted",
        .tooManyConnections: "too many connections",
        .cannotConnectNow: "server not ready",
        .adminShutdown: "server shutting down",
    ]

    private static let reasonByText: [(text: String, reason: String)] = [
        ("could not translate host name", "host name unknown"),
        ("no password supplied", "authentication failed"),
        ("authentication method", "authentication failed"),
        ("certificate", "TLS failed"),
        ("SSL", "TLS failed"),
        ("Connection refused", "connection refused"),
        ("No such file or directory", "no server at the socket"),
        ("Permission denied", "socket not permitted"),
        ("timeout expired", "timed out"),
        ("timed out", "timed out"),
        ("unreachable", "host unreachable"),
        ("No route to host", "host unreachable"),
        ("session is", "server in another role"),
        ("server is", "server in another role"),
        ("closed the connection unexpectedly", "closed by the server"),
        ("reset by peer", "closed by the server"),
    ]

    /// How libpq's messages about a value of the connection string begin.
    private static let configurationTexts = ["invalid ", "could not match ", "definition of service ", "service file "]

    /// Finds a SQLSTATE: libpq writes a colon, two spaces and its five characters after the severity.
    private static func sqlState(in message: String) -> SQLState? {
        let bytes = Array(message.utf8)
        let mark = Array(":  ".utf8)
        guard bytes.count >= mark.count + 5 else { return nil }
        for start in 0...(bytes.count - mark.count - 5) where bytes[start..<start + mark.count].elementsEqual(mark) {
            let code = bytes[(start + mark.count)..<(start + mark.count + 5)]
            let next = start + mark.count + 5
            // A longer word is not a SQLSTATE.
            if next < bytes.count, SQLState.isAllowed(bytes[next]) { continue }
            if let state = SQLState(String(decoding: code, as: UTF8.self)) { return state }
        }
        return nil
    }
}
