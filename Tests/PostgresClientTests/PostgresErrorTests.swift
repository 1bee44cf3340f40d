import Testing

@testable import PostgresClient

@Suite("Errors")
struct PostgresErrorTests {
    @Test("A text that is not a SQLSTATE gives nil", arguments: ["", "2350", "235055", "2350a", "23 05", "2350é"])
    func notAState(text: String) {
        #expect(SQLState(text) == nil)
    }

    @Test(
        "Only serialisation failures and deadlocks are retryable",
        arguments: [("40001", true), ("40P01", true), ("23505", false), ("40002", false), ("57014", false)])
    func retryable(state: String, isRetryable: Bool) {
        #expect(PostgresError(.server, sqlState: SQLState(state)).isRetryableTransaction == isRetryable)
    }

    @Test(
        "The SQLSTATE says whether the connection is lost",
        arguments: [
            ("57P01", true), ("57P02", true), ("57P03", true), ("08006", true), ("08P01", true), ("57014", false),
            ("23505", false),
        ])
    func connectionLoss(state: String, isLoss: Bool) {
        #expect(PostgresError(.server, sqlState: SQLState(state)).isConnectionLoss == isLoss)
    }

    @Test("The description lists the fields that are set")
    func description() {
        var error = PostgresError(.server, sqlState: .uniqueViolation, constraint: "t_pkey", statement: "insert")
        #expect(error.description == "PostgresError(server, sqlState: 23505, constraint: t_pkey, statement: insert)")
        error.isOutcomeUnknown = true
        #expect("\(error)".hasSuffix("outcome unknown)"))
        #expect(PostgresError(.deadlineExceeded).isDeadline)
        #expect(PostgresError(.server, sqlState: .queryCanceled).isDeadline)
    }

    @Test("The words of an error have its facts, and no name of ours")
    func words() {
        var error = PostgresError(
            .server, sqlState: .insufficientPrivilege, statement: "schema_tables",
            message: "permission denied for schema attribution")
        #expect(error.words == "permission denied for schema attribution (SQLSTATE 42501, statement schema_tables)")
        error.line = 7
        error.isOutcomeUnknown = true
        #expect(error.words.hasSuffix(", line 7, it may be done all the same)"))
        #expect(PostgresError(.server).words == "the server refused it")
        #expect(PostgresError(.poolClosed).words == "the connections are closed")
        let failed = PostgresError(.connectFailed, reason: "connection refused")
        #expect(failed.words == "no connection could be made: connection refused")
    }

    @Test(
        "Failures to connect are sorted into classes",
        arguments: [
            ("connection to server on socket \"/run/x\" failed: FATAL:  28P01\n", "28P01", "authentication failed"),
            ("connection to server at \"h\", port 5432 failed: FATAL:  53300\n", "53300", "too many connections"),
            ("connection to server at \"h\" failed: FATAL:  42704\n", "42704", "refused by the server"),
            (
                "connection to server at \"h\" failed: Connection refused\n\tIs the server running?", nil,
                "connection refused"
            ),
            (
                "could not translate host name \"secret\" to address: Name or service not known", nil,
                "host name unknown"
            ),
            ("fe_sendauth: no password supplied", nil, "authentication failed"),
            ("server does not support SSL, but SSL was required", nil, "TLS failed"),
            ("something with FATAL:  SECRETWORD", nil, "no connection"),
            ("x:  1234", nil, "no connection"),
            ("invalid port number: \"secret\"", nil, "the connection string"),
            ("could not match 3 port numbers to 2 hosts", nil, "the connection string"),
            ("", nil, "no connection"),
        ])
    func connectFailures(message: String, state: String?, reason: String) {
        let failure = ConnectFailure(message: message)
        #expect(failure.sqlState?.code == state)
        #expect(failure.reason == reason)
    }

    @Test("Pauses double within their bounds")
    func pauses() {
        var high = Backoff(shortest: .milliseconds(50), longest: .seconds(2))
        var low = high
        let highest = (0..<8).map { _ in high.fail(jitter: 1) }
        #expect(highest == [50, 100, 200, 400, 800, 1600, 2000, 2000].map { Duration.milliseconds($0) })
        let lowest = (0..<8).map { _ in low.fail(jitter: 0) }
        #expect(lowest == [50, 50, 100, 200, 400, 800, 1000, 1000].map { Duration.milliseconds($0) })
        for _ in 0..<100 { _ = high.fail(jitter: 0.5) }
        high.succeed()
        #expect(high.fail(jitter: 1) == .milliseconds(50))
    }
}
