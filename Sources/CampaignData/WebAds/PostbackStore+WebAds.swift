package import AdAttribution
import Foundation
package import PostbackStore
package import PostgresClient

extension PostbackStore {
    /// Stores the link of a web ad.
    ///
    /// - Throws: `PostgresError` with a unique violation if the nonce is already used by another link.
    package func add(_ webAd: WebAd) async throws {
        var bindings = PostgresBindings()
        bindings.append(webAd.nonce.uuid)
        bindings.append(webAd.adNetworkID.text)
        bindings.append(Int16(webAd.sourceIdentifier.text))
        bindings.append(webAd.itunesItemID.value)
        bindings.append(webAd.destinationHost)
        bindings.append(webAd.createdAt)
        bindings.append(webAd.expiresAt)
        let parameters = bindings
        try await pool.withTransaction("add_web_ad") { connection in
            _ = try connection.query(WebAdStatements.insert, parameters)
        }
    }

    /// The web ad of a nonce; nil if the nonce is unknown, has expired or was answered.
    package func webAd(_ nonce: Nonce, at time: PostgresTimestamp) async throws -> WebAd? {
        let parameters = WebAdStatements.bindings(nonce, time)
        return try await pool.withConnection { connection in
            try connection.query(WebAdStatements.select, parameters).first.map(WebAd.init)
        }
    }

    /// Marks a nonce as answered.
    ///
    /// The mark is durable when this returns.
    ///
    /// - Returns: True for one caller only; false if the nonce is unknown, has expired or was answered.
    package func claimWebAd(_ nonce: Nonce, at time: PostgresTimestamp) async throws -> Bool {
        let parameters = WebAdStatements.bindings(nonce, time)
        return try await pool.withTransaction("claim_web_ad") { connection in
            try !connection.query(WebAdStatements.claim, parameters).isEmpty
        }
    }

    /// Removes expired links, answered or not, a thousand rows at a time.
    ///
    /// One server does this at a time; while another one does, this returns at once.
    /// - Returns: The number of rows that were removed.
    package func removeExpiredWebAds(at time: PostgresTimestamp) async throws -> Int {
        var bindings = PostgresBindings()
        bindings.append(time)
        let parameters = bindings
        var removed = 0
        while true {
            let rows = try await pool.withTransaction("remove_expired_web_ads") { connection in
                guard try connection.query(WebAdStatements.expiryLock).first?.decode(Bool.self, at: 0) == true else {
                    return 0
                }
                return try connection.query(WebAdStatements.removeExpired, parameters).count
            }
            removed += rows
            if rows == 0 { return removed }
        }
    }
}

extension WebAd {
    fileprivate init(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        let nonce: UUID = try columns.next()
        let network: String = try columns.next()
        let identifier: Int16 = try columns.next()
        let app: Int64 = try columns.next()
        guard let network = AdNetworkID(network), let identifier = SourceIdentifier(Int64(identifier)),
            let app = AppID(app)
        else { throw StoredValueError(table: "web_ad") }
        self.init(
            nonce: Nonce(nonce), adNetworkID: network, sourceIdentifier: identifier, itunesItemID: app,
            destinationHost: try columns.next(), createdAt: try columns.next(), expiresAt: try columns.next())
    }
}

/// A row has a value that this build never writes, so another program has changed it.
struct StoredValueError: Error, CustomStringConvertible {
    let table: String

    var description: String { "a row of \(table) has a value out of range" }
}

/// The statements about web ads.
///
/// Times are parameters.
private enum WebAdStatements {
    static let insert = PostgresStatement(
        "web_ad_insert",
        """
        INSERT INTO attribution.web_ad (
            nonce, ad_network_id, source_identifier, itunes_item_id, destination_host, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        """)

    static let select = PostgresStatement(
        "web_ad_select",
        """
        SELECT nonce, ad_network_id, source_identifier, itunes_item_id, destination_host, created_at, expires_at
          FROM attribution.web_ad
         WHERE nonce = $1 AND answered_at IS NULL AND expires_at > $2
        """)

    static let claim = PostgresStatement(
        "web_ad_claim",
        """
        UPDATE attribution.web_ad SET answered_at = $2
         WHERE nonce = $1 AND answered_at IS NULL AND expires_at > $2
        RETURNING nonce
        """)

    static let expiryLock = PostgresStatement("web_ad_expiry_lock", "SELECT pg_try_advisory_xact_lock(7421001661)")

    static let removeExpired = PostgresStatement(
        "web_ad_remove_expired",
        """
        DELETE FROM attribution.web_ad
         WHERE nonce IN (SELECT nonce FROM attribution.web_ad WHERE expires_at <= $1 ORDER BY expires_at LIMIT 1000)
        RETURNING nonce
        """)

    static func bindings(_ nonce: Nonce, _ time: PostgresTimestamp) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(nonce.uuid)
        bindings.append(time)
        return bindings
    }
}
