public import PostgresClient

import struct Foundation.UUID

/// How far an archive is imported.
public struct ImportProgress: Sendable, Equatable {
    /// What tells the archive from others, whatever it is called.
    public let fingerprint: [UInt8]
    /// The bytes that the archive has.
    public let size: Int64
    /// The run that moves the lanes on.
    let run: UUID
    /// How far each lane is, by the lane's index.
    var lanes: [LaneProgress]

    /// The bytes that all lanes have done.
    public var position: Int64 { lanes.map(\.position).min() ?? 0 }
    /// The lines up to `position`, blank ones included.
    public var lines: Int64 { lanes.min { $0.position < $1.position }?.lines ?? 0 }
    /// What became of the lines.
    public var counts: ImportCounts { lanes.map(\.counts).reduce(ImportCounts(), +) }

    /// Whether all is done.
    public var isComplete: Bool { position == size }
}

/// How far one lane is in an archive.
struct LaneProgress: Sendable, Equatable {
    /// The bytes of the archive whose postbacks this lane has counted.
    var position: Int64 = 0
    /// The lines up to there, blank ones included.
    var lines: Int64 = 0
    /// What became of the lane's postbacks; the first lane also counts lines that were refused before they had a lane.
    var counts = ImportCounts()
}

/// A part of an archive.
public struct ImportPart: Sendable {
    /// A postback of the part.
    public struct Entry: Sendable {
        /// The postback.
        public let delivery: PostbackDelivery
        /// Where its line ends, in bytes from the beginning of the archive.
        public let end: Int64

        /// A postback and where its line ends.
        public init(_ delivery: PostbackDelivery, end: Int64) {
            self.delivery = delivery
            self.end = end
        }
    }

    /// The postbacks, in the order of the archive.
    public let entries: [Entry]
    /// Where the part ends, in bytes.
    public let end: Int64
    /// The number of its last line.
    public let lines: Int64
    /// How many of its lines were refused before they came to the database.
    public let refused: Int64
    /// When it is written.
    public let time: PostgresTimestamp

    /// A part of an archive.
    public init(entries: [Entry], end: Int64, lines: Int64, refused: Int64, time: PostgresTimestamp) {
        self.entries = entries
        self.end = end
        self.lines = lines
        self.refused = refused
        self.time = time
    }
}

/// Why an import can't go on.
public enum ImportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A later run of `import` has taken the archive.
    case movedOn

    /// The reason in words.
    public var description: String {
        switch self {
        case .movedOn: "a later import has taken the same archive"
        }
    }
}
