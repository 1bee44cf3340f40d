/// How each side notices that the other one is gone without a word: the power was cut, or the line is dead.
///
/// By default the kernel takes two hours. Meanwhile the database would keep the locks of a client that is gone. Each
/// side gives up after `limit`.
enum LostPeer {
    /// The greatest time until a dead connection is noticed, if something was sent or a statement is under way.
    static let limit = Duration.seconds(8)

    /// The settings of the server about its end of the connection.
    ///
    /// A client that was killed closes its connection, but the server looks at it only between two statements, unless
    /// `client_connection_check_interval` (PostgreSQL 14) is set. On a Unix-domain socket the others have no effect.
    static let serverSettings: [(name: String, value: String)] = [
        (name: "tcp_keepalives_idle", value: "5"),
        (name: "tcp_keepalives_interval", value: "1"),
        (name: "tcp_keepalives_count", value: "3"),
        (name: "tcp_user_timeout", value: String(limit.serverMilliseconds)),
        (name: "client_connection_check_interval", value: "1000"),
    ]

    /// The keywords of libpq about the client's end of the connection.
    static let clientParameters: PostgresConfiguration.Parameters = [
        (keyword: "keepalives_idle", value: "5"),
        (keyword: "keepalives_interval", value: "1"),
        (keyword: "keepalives_count", value: "3"),
        (keyword: "tcp_user_timeout", value: String(limit.serverMilliseconds)),
    ]
}
