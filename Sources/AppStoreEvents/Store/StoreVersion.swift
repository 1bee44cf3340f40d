import PostgresClient

/// What decides which version of a transaction stays.
///
/// `attribution.store_replaces` is the same rule in SQL, but for the last two: `StoreOfferTable` adds them.
struct StoreVersion: Sendable, Equatable {
    /// When Apple signed it; nil for V1, whose transactions nobody signs.
    let signedAt: PostgresTimestamp?
    /// When it was refunded or taken back.
    let revokedAt: PostgresTimestamp?
    /// SHA-256 of the signed payload; nil for V1.
    let payloadSHA256: [UInt8]?
    /// The last purchase or cancellation that a body of V1 states; nil for everything but its renewal info.
    var knownAt: PostgresTimestamp?
    /// When the renewal was turned on or off; nil for everything but such renewal info that states it.
    var renewalChangedAt: PostgresTimestamp?

    /// Whether an offered version takes the place of this one.
    ///
    /// The later signature wins, and of equal times the greater digest. So signed versions give the same row in any
    /// order. A signed version wins over V1. Between two of V1 the offered one wins, but a refund is not taken back.
    /// An offered V1 that is older does not win either: it was tried again late.
    func isReplaced(by offered: StoreVersion) -> Bool {
        switch (signedAt, offered.signedAt) {
        case (nil, nil): (revokedAt == nil || offered.revokedAt != nil) && !isLater(than: offered)
        case (nil, _?): true
        case (_?, nil): false
        case (let stored?, let new?) where stored == new:
            (payloadSHA256 ?? []).lexicographicallyPrecedes(offered.payloadSHA256 ?? [])
        case (let stored?, let new?): stored < new
        }
    }

    /// Whether this V1 is the later one, as far as its times tell.
    ///
    /// Every body has the last purchases. The change stands in few, so it decides only if both have one.
    private func isLater(than offered: StoreVersion) -> Bool {
        if knownAt != offered.knownAt {
            guard let knownAt else { return false }
            return offered.knownAt.map { $0 < knownAt } ?? true
        }
        guard let renewalChangedAt, let change = offered.renewalChangedAt else { return false }
        return change < renewalChangedAt
    }
}
