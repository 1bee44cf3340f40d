import CLibPQ
import Glibc

extension PostgresConfiguration {
    /// Keywords of libpq with their values; later ones override earlier ones.
    typealias Parameters = [(keyword: String, value: String)]

    /// Checks that the connection string and the settings can be read, without connecting.
    ///
    /// - Throws: `invalidConfiguration`; its text contains no value of a setting.
    package func validate() throws(PostgresError) {
        _ = try connectionAttempts()
    }

    /// The parameters of each attempt to connect: one attempt for each host, which stands first in it.
    ///
    /// libpq goes on to the next host only if a host refuses. A host that does not answer would take the time of all.
    func connectionAttempts() throws(PostgresError) -> [Parameters] {
        var given = try givenParameters()
        guard let address else {
            let parameters = try connectionParameters([(keyword: "dbname", value: connectionString)], given)
            return HostList(given).rotations.map { parameters + $0 }
        }
        for keyword in HostList.keywords { given[keyword] = nil }
        // libpq would connect to it whatever the host is, and an empty value does not override it.
        guard HostList.value("hostaddr", of: given) == nil else {
            throw PostgresError(.invalidConfiguration, reason: "PGHOSTADDR is the address of another server")
        }
        given["host"] = address.host
        given["port"] = String(address.port)
        return [try connectionParameters(given.map { (keyword: $0.key, value: $0.value) }, given)]
    }

    /// The keywords and values for `PQconnectStartParams`.
    ///
    /// - Parameters:
    ///   - origin: The connection string as the value of `dbname`, which libpq expands, or its keywords. Later keywords
    ///     override it.
    ///   - given: The keywords of the connection string with their values.
    private func connectionParameters(
        _ origin: Parameters, _ given: [String: String]
    ) throws(PostgresError) -> Parameters {
        var parameters =
            try origin + [
                (keyword: "client_encoding", value: "UTF8"),
                (keyword: "application_name", value: applicationName),
                (keyword: "options", value: serverOptions(after: given["options"] ?? "")),
            ]
        parameters += LostPeer.clientParameters.filter { given[$0.keyword] == nil }
        if HostList(given).count > 1, HostList.value("target_session_attrs", of: given) == nil {
            // By default libpq takes the first host that answers, whatever it is.
            parameters.append((keyword: "target_session_attrs", value: preferredHost.rawValue))
        }
        for (keyword, value) in parameters where value.utf8.contains(0) {
            throw PostgresError(.invalidConfiguration, reason: "a zero character in \(keyword)")
        }
        return parameters
    }

    /// Those about lost peers, the `options` of the connection string, then ours: if a setting occurs twice, the server
    /// uses the last one.
    private func serverOptions(after given: String) throws(PostgresError) -> String {
        let timeouts: [(name: String, value: String)] = [
            (name: "statement_timeout", value: String(statementTimeout.serverMilliseconds)),
            (name: "lock_timeout", value: String(lockTimeout.serverMilliseconds)),
            (name: "idle_in_transaction_session_timeout", value: String(idleInTransactionTimeout.serverMilliseconds)),
        ]
        var options = LostPeer.serverSettings.map { "-c \($0.name)=\($0.value)" }
        if !given.isEmpty { options.append(given) }
        for setting in sessionSettings + timeouts {
            guard !setting.name.isEmpty, setting.name.utf8.allSatisfy(Self.isAllowedInName) else {
                throw PostgresError(.invalidConfiguration, reason: "the name of a session setting")
            }
            options.append("-c \(setting.name)=\(Self.escaped(setting.value))")
        }
        return options.joined(separator: " ")
    }

    /// What no text may show: the passwords.
    var secrets: [String] {
        let given = (try? givenParameters()) ?? [:]
        let environment = getenv("PGPASSWORD").map { String(cString: $0) }
        return [given["password"], given["sslpassword"], environment].compactMap(\.self)
    }

    /// Reads the keywords and values of the connection string.
    ///
    /// Throws if libpq can't read the string.
    private func givenParameters() throws(PostgresError) -> [String: String] {
        // libpq's message contains parts of the string, so it is freed unread.
        var message: UnsafeMutablePointer<CChar>?
        defer { if let message { PQfreemem(message) } }
        guard let options = PQconninfoParse(connectionString, &message) else {
            throw PostgresError(.invalidConfiguration, reason: "the connection string")
        }
        defer { PQconninfoFree(options) }
        var given: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { given[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return given
    }

    /// Escapes a value: the server splits options at white space, and a backslash is its escape character.
    private static func escaped(_ value: String) -> String {
        var text = ""
        for character in value.unicodeScalars {
            if character == "\\" || character.properties.isWhitespace { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(character)
        }
        return text
    }

    private static func isAllowedInName(_ byte: UInt8) -> Bool {
        switch UnicodeScalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "_", ".": true
        default: false
        }
    }
}
