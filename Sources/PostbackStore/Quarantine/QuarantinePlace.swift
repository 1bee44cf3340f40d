import AdAttribution

/// Where a refused body belongs: in which half, in which row, and how soon that row goes if the half is full.
struct QuarantinePlace: Sendable, Hashable {
    /// The row: SHA-256 of the transaction's key, or of body, reason and detail.
    let key: [UInt8]
    /// Whether the row is in the protected half.
    let isProtected: Bool
    /// Rows of the lowest rank go first.
    let rank: Int16

    init(_ rejected: RejectedPostback, bodyDigest: [UInt8]) {
        if let transaction = rejected.transaction {
            key = SHA256.digest([1] + transaction.key.utf8)
            isProtected = true
            rank = Self.rank(of: transaction.environment)
        } else {
            let reason = rejected.rejection.reason
            key = SHA256.digest([0] + bodyDigest + reason.rawValue.utf8 + [0] + rejected.keptDetail.utf8)
            isProtected = false
            rank = Self.rank(of: reason)
        }
    }

    /// A development device can make any number of genuine postbacks, so these must not push out production.
    private static func rank(of environment: AttributionEnvironment) -> Int16 {
        environment == .production ? 2 : 1
    }

    /// What a new key ring or build may accept outlives what it can't.
    private static func rank(of reason: PostbackRejection.Reason) -> Int16 {
        switch reason {
        case .invalidSignature, .tooLarge: 1
        case .malformed: 2
        case .unsupportedVersion, .unknownNetwork: 3
        }
    }
}

extension RejectedPostback {
    /// The detail, as far as it is kept.
    var keptDetail: String { String(rejection.detail.prefix(500)) }
}
