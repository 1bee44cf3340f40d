package import PostbackStore
import PostgresClient

extension OperatorFile {
    /// The networks that the file names, without suffix.
    var networks: Set<String> {
        switch self {
        case .mapping(let names, _): names.networks
        case .spend(let check, _): check.networks
        case .appNames, .rates, .scheme: []
        }
    }
}

extension PostbackStore {
    /// The networks of postbacks and of the mapping, in lower case and in their order.
    ///
    /// - Parameter limit: The most networks.
    package func networkNames(limit: Int32) async throws -> [String] {
        let parameters = Self.bindings(limit)
        return try await pool.withConnection { connection in
            try connection.query(Self.listNetworks, parameters).map { try $0.decode(at: 0) }
        }
    }

    /// What is said of networks that are probably misspelled.
    ///
    /// - Parameters:
    ///   - names: Networks, without suffix.
    ///   - keyRing: Those of the key ring, without suffix.
    /// - Returns: A notice for each one that neither the key ring nor postbacks nor spend have, twenty at most.
    package func networkNotices(_ names: Set<String>, keyRing: Set<String>) async throws -> [String] {
        let asked = names.subtracting(keyRing).sorted()
        guard !asked.isEmpty else { return [] }
        var bindings = PostgresBindings()
        bindings.append(asked)
        let parameters = bindings
        let unknown: [String] = try await pool.withConnection { connection in
            try connection.query(Self.unknownNetworks, parameters).map { try $0.decode(at: 0) }
        }
        return unknown.map {
            "Notice: neither the key ring nor a postback nor spend has the network \($0). Is it spelled right?"
        }
    }

    private static func bindings(_ limit: Int32) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(limit)
        return bindings
    }

    private static let listNetworks = PostgresStatement(
        "network_names",
        """
        SELECT ad_network_id FROM attribution.network
        UNION SELECT ad_network_id FROM attribution.campaign_mapping
         ORDER BY ad_network_id
         LIMIT $1
        """)

    private static let unknownNetworks = PostgresStatement(
        "unknown_networks",
        """
        SELECT given.name
          FROM unnest($1::text[]) AS given (name)
         WHERE NOT EXISTS (SELECT FROM attribution.network WHERE attribution.network_name(ad_network_id) = given.name)
           AND NOT EXISTS (SELECT FROM attribution.spend_daily WHERE network_name = given.name)
           AND NOT EXISTS (SELECT FROM attribution.campaign_mapping WHERE network_name = given.name AND is_built_in)
         ORDER BY given.name
         LIMIT 20
        """)
}
