import AdAttribution

/// Where a refused body is stored: its half, its row, and the rank of the row.
struct QuarantinePlace: Sendable, Hashable {
    /// The row: SHA-256 of the transaction's key, or of body, reason and detail.
    let key: [UInt8]
    /// Whether the row is in the protected half.
    let isProtected: Bool
    /// Rows of the lowest rank are deleted first.
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

    /// Anybody can create genuine postbacks with a development device, so these must not push out production postbacks.
    private static func rank(of environment: AttributionEnvironment) -> Int16 {
        environment == .production ? 2 : 1
    }

    /// Bodies that a new key ring or build may accept have a higher rank than bodies that it can't accept.
    private static func rank(of reason: PostbackRejection.Reason) -> Int16 {
        switch reason {
        case .invalidSignature, .tooLarge: 1
        case .malformed: 2
        case .unsupportedVersion, .unknownNetwork: 3
        }
    }
}

extension RejectedPostback {
    /// The first 500 characters of the detail, which are stored.
    var keptDetail: String { String(rejection.detail.prefix(500)) }
}
