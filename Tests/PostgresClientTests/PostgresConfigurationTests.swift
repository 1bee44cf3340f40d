import Testing

@testable import PostgresClient

@Suite("Configuration")
struct PostgresConfigurationTests {
    private static let secret = "hunter2"

    @Test("The connection string is in no description")
    func secret() {
        let configuration = PostgresConfiguration(connectionString: "postgresql://u:\(Self.secret)@h/d")
        var dumped = ""
        dump((configuration, [configuration]), to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), "\([configuration])", dumped] {
            #expect(!text.contains(Self.secret))
            #expect(text.contains("redacted"))
        }
    }

    @Test(
        "Malformed connection strings are refused, and the error does not contain them",
        arguments: [
            "hunter2", "host=/tmp nonsense=hunter2", "postgresql://u:hunter2@[h/d", "host=h password='hunter2",
            "host=h password=hunter2\u{0}x",
        ])
    func malformed(text: String) async throws {
        let configuration = PostgresConfiguration(connectionString: text)
        let error = try await clientError { try configuration.validate() }
        #expect(error.code == .invalidConfiguration)
        #expect(!"\(error)".contains(Self.secret))
        let other = try await clientError {
            try await PostgresConnection.connect(configuration, logger: .silent)
        }
        #expect(other == error)
    }

    @Test("Another address replaces the hosts of the connection string, and nothing else")
    func address() throws {
        var configuration = PostgresConfiguration(
            connectionString: "postgresql://u:\(Self.secret)@a:1,b:2/d?hostaddr=10.0.0.1,10.0.0.2&sslmode=verify-full")
        configuration.address = PostgresAddress(host: "worker.example", port: 5_433)
        let attempts = try configuration.connectionAttempts()
        #expect(attempts.count == 1)
        var values: [String: [String]] = [:]
        for parameter in attempts[0] { values[parameter.keyword, default: []].append(parameter.value) }
        for (keyword, value) in [
            ("host", ["worker.example"]), ("port", ["5433"]), ("hostaddr", nil), ("dbname", ["d"]), ("user", ["u"]),
            ("password", [Self.secret]), ("sslmode", ["verify-full"]), ("target_session_attrs", nil),
            ("application_name", ["adattribution"]),
        ] {
            #expect(values[keyword] == value, "\(keyword)")
        }
        #expect("\(configuration)".contains("redacted") && !"\(configuration)".contains(Self.secret))
    }

    @Test("Options that the connection string may change come before its own, and all others after them")
    func options() throws {
        var configuration = PostgresConfiguration(
            connectionString: "host=h options='-c statement_timeout=0 -c search_path=x'"
        )
        configuration.sessionSettings = [(name: "TimeZone", value: "a b\\c")]
        let parameters = try configuration.connectionAttempts()[0]
        #expect(
            parameters.map(\.keyword) == [
                "dbname", "client_encoding", "application_name", "options", "keepalives_idle", "keepalives_interval",
                "keepalives_count", "tcp_user_timeout",
            ])
        #expect(
            parameters.first { $0.keyword == "options" }?.value
                == "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=1 -c tcp_keepalives_count=3 "
                + "-c tcp_user_timeout=8000 -c client_connection_check_interval=1000 "
                + "-c statement_timeout=0 -c search_path=x -c TimeZone=a\\ b\\\\c "
                + "-c statement_timeout=10000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=10000"
        )
        configuration.sessionSettings = [(name: "a=b -c c", value: "")]
        #expect(throws: PostgresError.self) { try configuration.validate() }
    }

    @Test(
        "If the connection string has several hosts, a session must allow writing, unless the string says otherwise",
        arguments: [
            ("host=a", nil), ("postgresql://a/d", nil), ("host=a,b", "read-write"),
            ("postgresql://a:1,b:2/d", "read-write"), ("hostaddr=127.0.0.1,127.0.0.2", "read-write"),
            ("host=a,b target_session_attrs=any", nil), ("postgresql://a,b/d?target_session_attrs=primary", nil),
            ("service=x host=a,b", nil),
        ])
    func severalHosts(text: String, expected: String?) throws {
        let parameters = try PostgresConfiguration(connectionString: text).connectionAttempts()[0]
        #expect(parameters.first { $0.keyword == "target_session_attrs" }?.value == expected)
    }

    @Test("A standby is preferred among several hosts if that is asked for")
    func preferredStandby() throws {
        var configuration = PostgresConfiguration(connectionString: "host=a,b")
        configuration.preferredHost = .standby
        let parameters = try configuration.connectionAttempts()[0]
        #expect(parameters.first { $0.keyword == "target_session_attrs" }?.value == "prefer-standby")
    }

    @Test("The connection string may change how soon a server that is gone is noticed")
    func lostPeer() throws {
        let configuration = PostgresConfiguration(connectionString: "host=a keepalives_idle=60")
        let parameters = try configuration.connectionAttempts()[0]
        #expect(parameters.filter { $0.keyword == "keepalives_idle" }.isEmpty)
        #expect(parameters.first { $0.keyword == "tcp_user_timeout" }?.value == "8000")
    }

    @Test(
        "There is an attempt for each host, in which it stands first with its address and port",
        arguments: [
            ("host=a port=1", [""]), ("host=a,b", ["", "host=b,a"]),
            ("postgresql://a:1,b:2,c:3/d", ["", "host=b,c,a port=2,3,1", "host=c,a,b port=3,1,2"]),
            ("host=a,b hostaddr=127.0.0.1,127.0.0.2 port=5", ["", "host=b,a hostaddr=127.0.0.2,127.0.0.1 port=5"]),
            ("host=a,b port=1,2,3", [""]), ("service=x host=a,b", [""]),
        ])
    func attempts(text: String, expected: [String]) throws {
        let attempts = try PostgresConfiguration(connectionString: text).connectionAttempts()
        let hosts = attempts.map { parameters in
            parameters.filter { ["host", "hostaddr", "port"].contains($0.keyword) }
                .map { "\($0.keyword)=\($0.value)" }.joined(separator: " ")
        }
        #expect(hosts == expected)
    }

    @Test("Timeouts are rounded up and are never off")
    func timeouts() {
        #expect(Duration.zero.serverMilliseconds == 1)
        #expect(Duration.microseconds(1_001).serverMilliseconds == 2)
        #expect(Duration.milliseconds(1_500).serverMilliseconds == 1_500)
        #expect(Duration.seconds(Int64.max).serverMilliseconds == .max)
        #expect(Duration.seconds(-5).serverMilliseconds == 1)
    }
}
