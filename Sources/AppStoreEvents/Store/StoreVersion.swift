import PostgresClient

/// What decides which version of a transaction stays.
///
/// `attribution.store_replaces` is the same rule in SQL.
struct StoreVersion: Sendable, Equatable {
    /// When Apple signed it; nil for V1, whose transactions nobody signs.
    let signedAt: PostgresTimestamp?
    /// When it was refunded or taken back.
    let revokedAt: PostgresTimestamp?
    /// SHA-256 of the signed payload; nil for V1.
    let payloadSHA256: [UInt8]?

    /// Whether an offered version takes the place of this one.
    ///
    /// The later signature wins, and of equal times the greater digest. So signed versions give the same row in any
    /// order. A signed version wins over V1. Between two of V1 the offered one wins, but a refund is not taken back.
    func isReplaced(by offered: StoreVersion) -> Bool {
        switch (signedAt, offered.signedAt) {
        case (nil, nil): revokedAt == nil || offered.revokedAt != nil
        case (nil, _?): true
        case (_?, nil): false
        case (let stored?, let new?) where stored == new:
            (payloadSHA256 ?? []).lexicographicallyPrecedes(offered.payloadSHA256 ?? [])
        case (let stored?, let new?): stored < new
        }
    }
}
