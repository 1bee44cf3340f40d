import AdAttribution
import AppStoreClient
package import PostbackStore
import PostgresClient

extension PostbackStore {
    /// How many rows are deleted in one transaction.
    private static var rowsAtOnce: Int { 10_000 }

    /// Stores tokens that are to be exchanged; they are durable when this returns.
    ///
    /// - Returns: How many were new; the others are known, or stand in the list twice.
    package func add(_ tokens: [AppleAdsToken]) async throws -> Int {
        guard !tokens.isEmpty else { return 0 }
        var bindings = PostgresBindings()
        bindings.append(byteas: tokens.map(\.digest))
        bindings.append(tokens.map(\.text))
        bindings.append(tokens.map(\.appID.value))
        let parameters = bindings
        return try await pool.withStatement("apple_ads_add") { connection in
            try connection.query(AppleAdsStatements.add, parameters).affectedRows
        }
    }

    /// Takes tokens that are due, so that no other server exchanges them for a minute.
    ///
    /// - Returns: The tokens, and how many others had waited for 24 hours and died.
    func claimAppleAdsTokens(atMost count: Int) async throws -> (tokens: [ClaimedToken], expired: Int) {
        var bindings = PostgresBindings()
        bindings.append(Int64(count))
        let parameters = bindings
        return try await pool.withStatement("apple_ads_claim") { connection in
            let results = try connection.pipeline([
                PostgresPipelineStep(AppleAdsStatements.expire),
                PostgresPipelineStep(AppleAdsStatements.claim, parameters),
            ])
            let tokens = try results[1].map { row in
                ClaimedToken(
                    digest: try row.decode(at: 0), text: try row.decode(at: 1), attempts: try row.decode(at: 2),
                    misses: try row.decode(at: 3))
            }
            return (tokens: tokens, expired: results[0].affectedRows)
        }
    }

    /// Gives up tokens that have waited for 24 hours, and removes their texts.
    ///
    /// A claim does so too, but no server may claim any.
    ///
    /// - Returns: How many.
    package func expireAppleAdsTokens() async throws -> Int {
        try await pool.withStatement("apple_ads_expire") { connection in
            try connection.query(AppleAdsStatements.expire).affectedRows
        }
    }

    /// Stores what became of tokens, all or none.
    ///
    /// - Parameter isTest: Whether another server than Apple's was asked.
    /// - Returns: For each whether it counts: whether no other server had settled it before.
    func settle(_ fates: [(token: ClaimedToken, fate: TokenFate)], isTest: Bool = false) async throws -> [Bool] {
        let steps = fates.map { Self.step($0.token, $0.fate, isTest: isTest) }
        return try await pool.withStatement("apple_ads_settle") { connection in
            try connection.pipeline(steps).map { $0.affectedRows > 0 }
        }
    }

    private static func step(_ token: ClaimedToken, _ fate: TokenFate, isTest: Bool) -> PostgresPipelineStep {
        var bindings = PostgresBindings()
        bindings.append(bytea: token.digest)
        switch fate {
        case .recorded(let record):
            bindings.append(record.isAttributed)
            bindings.append(record.orgID)
            bindings.append(record.campaignID)
            bindings.append(record.adGroupID)
            bindings.append(record.keywordID)
            bindings.append(record.adID)
            bindings.append(record.countryOrRegion)
            bindings.append(record.conversionType)
            bindings.append(record.claimType)
            bindings.append(record.supplyPlacement)
            bindings.append(date: record.adDay.flatMap { PostgresDate($0) })
            bindings.append(isTest)
            return PostgresPipelineStep(AppleAdsStatements.record, bindings)
        case .dead(let reason):
            bindings.append(reason)
            return PostgresPipelineStep(AppleAdsStatements.kill, bindings)
        case .postponed(let milliseconds, let isMiss, let reason):
            bindings.append(milliseconds)
            bindings.append(Int16(isMiss ? 1 : 0))
            bindings.append(reason)
            return PostgresPipelineStep(AppleAdsStatements.postpone, bindings)
        }
    }

    /// How many tokens of Apple Ads wait, and for how long the oldest does.
    package func appleAdsBacklog() async throws -> AppleAdsBacklog {
        try await pool.withStatement("apple_ads_backlog") { connection in
            guard let row = try connection.query(AppleAdsStatements.backlog).first else {
                return AppleAdsBacklog(waiting: 0, oldestSeconds: 0)
            }
            return AppleAdsBacklog(waiting: try row.decode(at: 0), oldestSeconds: try row.decode(at: 1))
        }
    }

    /// Removes rows of tokens that were exchanged or died, a week after they came, in portions.
    ///
    /// What Apple said of them stays, and makes them duplicates.
    ///
    /// - Returns: The number of rows.
    @discardableResult
    package func dropAppleAdsTokens() async throws -> Int {
        var bindings = PostgresBindings()
        bindings.append(Int64(Self.rowsAtOnce))
        let parameters = bindings
        var dropped = 0
        while true {
            let count = try await pool.withStatement("apple_ads_drop") { connection in
                try connection.query(AppleAdsStatements.drop, parameters).affectedRows
            }
            dropped += count
            guard count == Self.rowsAtOnce else { return dropped }
        }
    }
}
