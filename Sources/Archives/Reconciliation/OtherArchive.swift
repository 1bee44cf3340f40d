package import AdAttribution
package import PostgresClient

/// Whose archive a file is.
package enum ArchiveSide: String, Sendable, CaseIterable {
    /// A network's archive: of all of its postbacks.
    case network
    /// A developer's archive: of the copies that Apple sent.
    case developer
}

/// A delivery in the other side's archive.
package struct OtherDelivery: Sendable {
    /// The postback.
    package let verified: VerifiedPostback
    /// When the other side received it; nil if the archive does not say it.
    package let receivedAt: PostgresTimestamp?
    /// The number of its line, from 1.
    package let line: Int64

    /// Takes a postback of a line.
    package init(_ verified: VerifiedPostback, receivedAt: PostgresTimestamp?, line: Int64) {
        self.verified = verified
        self.receivedAt = receivedAt
        self.line = line
    }
}

/// The other side's archive, as far as it is not postbacks.
package struct OtherArchive: Sendable {
    /// Its path.
    package let file: String
    /// Identifies it, whatever its name is.
    package let fingerprint: [UInt8]
    /// Its size in bytes.
    package let size: Int64
    /// The lines that are not blank.
    package var lines: Int64 = 0
    /// The lines that are no postback, or whose signature does not hold.
    package var refused: Int64 = 0
    /// The lines of networks and apps that are not ours.
    package var notOurs: Int64 = 0

    /// Takes a file of which nothing is read yet.
    package init(file: String, fingerprint: [UInt8], size: Int64) {
        self.file = file
        self.fingerprint = fingerprint
        self.size = size
    }
}

/// What somebody knows about an archive that is not in it.
package struct ArchiveKnowledge: Sendable {
    /// Whose it is; nil if the postbacks shall tell it.
    package var side: ArchiveSide?
    /// The days that it covers, UTC; nil if its times shall tell it.
    package var days: ClosedRange<PostgresDate>?

    /// Takes what is known.
    package init(side: ArchiveSide? = nil, days: ClosedRange<PostgresDate>? = nil) {
        self.side = side
        self.days = days
    }

    /// The first and the last microsecond of the days.
    var times: ClosedRange<PostgresTimestamp>? {
        days.map { days in
            let day: Int64 = 86_400_000_000
            return PostgresTimestamp(
                microsecondsSince2000: Int64(days.lowerBound.daysSince2000) * day)...PostgresTimestamp(
                    microsecondsSince2000: (Int64(days.upperBound.daysSince2000) + 1) * day - 1)
        }
    }
}

/// Why an archive can't be compared.
package enum ReconciliationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No line of it is a postback of a network or an app that is ours.
    case nothingOfOurs
    /// Some of its postbacks are developer copies here and others are not, so it does not show whose archive it is.
    case unknownSide

    /// The reason in words.
    package var description: String {
        switch self {
        case .nothingOfOurs:
            "no line of the archive is a postback of a network or an app of the key ring, so there is nothing to compare"
        case .unknownSide:
            "some postbacks of the archive are developer copies here and others are not; say whose archive it is with --side"
        }
    }
}
