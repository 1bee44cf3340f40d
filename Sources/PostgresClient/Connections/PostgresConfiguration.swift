/// Where the database is and how its sessions behave.
///
/// ## TLS
/// libpq's default, `sslmode=prefer`, does not check the server's identity. If the database is on another machine,
/// write `sslmode=verify-full` into the connection string.
///
/// ## Several hosts
/// The connect timeout covers all hosts of the connection string together. Each host that does not answer gets an equal
/// share of it. A session must allow writing (`target_session_attrs=read-write`), unless `preferredHost` or the string
/// asks for something else. So a standby, or a machine that is gone, may stand first.
///
/// ## Peers that are gone
/// Client and server notice within 8 seconds that the other one is gone without closing the connection (`LostPeer`).
/// The connection string may ask for other times.
package struct PostgresConfiguration: Sendable {
    /// Which of several hosts is taken if the connection string does not say so; a value of `target_session_attrs`.
    package enum PreferredHost: String, Sendable {
        /// The first one that allows writing.
        case readWrite = "read-write"
        /// The first standby; if there is none, the first one that answers.
        case standby = "prefer-standby"
    }

    /// libpq's connection string: `key=value` pairs or a `postgresql://` URI.
    ///
    /// It is secret.
    let connectionString: String

    /// Another server than that of the connection string, with the same database, user and everything else; nil if it
    /// is that one.
    package var address: PostgresAddress?

    /// Which of several hosts is taken.
    package var preferredHost = PreferredHost.readWrite

    /// The name seen in `pg_stat_activity`.
    package var applicationName = "adattribution"

    /// The greatest time to make a connection: name lookup, TLS and authentication included.
    package var connectTimeout: Duration = .seconds(5)

    /// The greatest time that a statement may take, in whole milliseconds.
    ///
    /// Then the server cancels the statement (57014), and the session can still be used. If the server does not answer,
    /// the client waits `answerGrace` longer, closes the connection and throws `deadlineExceeded`.
    package var statementTimeout: Duration = .seconds(10)

    /// The greatest time that a statement may wait for a lock (55P03), in whole milliseconds.
    package var lockTimeout: Duration = .seconds(5)

    /// The greatest time between two statements of a transaction, in whole milliseconds.
    ///
    /// Then the server ends the session (25P03).
    package var idleInTransactionTimeout: Duration = .seconds(10)

    /// How much longer than the server the client waits, so that the server's own answer arrives first.
    package var answerGrace: Duration = .seconds(1)

    /// Server settings of each session by name, in order.
    ///
    /// They override those of the connection string.
    ///
    /// Four are set by default, whatever the defaults of the database and the role are. A commit is durable, days are UTC
    /// days, and each statement of a transaction has its own snapshot. Names without a schema are those of `pg_catalog`
    /// and of the session's own temporary tables: functions that somebody else has made, in `public` say, never run here.
    package var sessionSettings: [(name: String, value: String)] = [
        (name: "synchronous_commit", value: "on"),
        (name: "TimeZone", value: "UTC"),
        (name: "default_transaction_isolation", value: "read committed"),
        (name: "search_path", value: "pg_catalog,pg_temp"),
    ]

    /// Takes a connection string, unchecked: see `validate()`.
    ///
    /// - Parameter connectionString: libpq's `key=value` pairs or a `postgresql://` URI.
    package init(connectionString: String) {
        self.connectionString = connectionString
    }
}

extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The configuration without the connection string.
    package var description: String {
        "PostgresConfiguration(connectionString: <redacted>, applicationName: \(applicationName))"
    }

    /// The same as `description`.
    package var debugDescription: String { description }

    /// The fields as `dump` shows them, without the connection string.
    package var customMirror: Mirror {
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
