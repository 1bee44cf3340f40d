/// Where the database is and how its sessions behave.
///
/// ## TLS
/// libpq's default, `sslmode=prefer`, does not check who answers: across a network the connection string should say
/// `sslmode=verify-full`.
///
/// ## Several hosts
/// The connect timeout covers all hosts of the connection string together.
public struct PostgresConfiguration: Sendable {
    /// libpq's connection string: `key=value` pairs or a `postgresql://` URI; secret.
    let connectionString: String

    /// The name seen in `pg_stat_activity`.
    public var applicationName = "adattribution"

    /// The time to make a connection: name lookup, TLS and authentication included.
    public var connectTimeout: Duration = .seconds(5)

    /// The time a statement may take, milliseconds at the finest.
    ///
    /// The server cancels it then (57014) and the session goes on. Where no answer comes at all, the client waits
    /// `answerGrace` longer, closes the connection and throws `deadlineExceeded`.
    public var statementTimeout: Duration = .seconds(10)

    /// The time a statement may wait for a lock (55P03), milliseconds at the finest.
    public var lockTimeout: Duration = .seconds(5)

    /// The time a transaction may idle before the server ends the session (25P03), milliseconds at the finest.
    public var idleInTransactionTimeout: Duration = .seconds(10)

    /// How much longer than the server the client waits, so that the server's own answer arrives first.
    public var answerGrace: Duration = .seconds(1)

    /// Server settings of each session by name, in order; they win over those of the connection string.
    ///
    /// Three are set by default, whatever the database's own defaults are. A commit is durable. Days are UTC days. Each
    /// statement of a transaction gets a snapshot of its own.
    public var sessionSettings: [(name: String, value: String)] = [
        (name: "synchronous_commit", value: "on"),
        (name: "TimeZone", value: "UTC"),
        (name: "default_transaction_isolation", value: "read committed"),
    ]

    /// Takes a connection string, unchecked: see `validate()`.
    ///
    /// - Parameter connectionString: libpq's `key=value` pairs or a `postgresql://` URI.
    public init(connectionString: String) {
        self.connectionString = connectionString
    }
}

extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The configuration without the connection string.
    public var description: String {
        "PostgresConfiguration(connectionString: <redacted>, applicationName: \(applicationName))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// The fields as `dump` shows them, the connection string redacted.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "connectionString": "<redacted>",
                "applicationName": applicationName,
                "connectTimeout": connectTimeout,
                "statementTimeout": statementTimeout,
                "lockTimeout": lockTimeout,
                "idleInTransactionTimeout": idleInTransactionTimeout,
                "sessionSettings": sessionSettings,
            ]
        )
    }
}
