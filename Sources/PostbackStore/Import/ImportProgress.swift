package import PostgresClient

import struct Foundation.UUID

/// The progress of an import.
package struct ImportProgress: Sendable, Equatable {
    /// Identifies the archive, whatever its name is.
    package let fingerprint: [UInt8]
    /// The size of the archive in bytes.
    package let size: Int64
    /// The run that owns the lanes.
    let run: UUID
    /// The progress of each lane, by the lane's index.
    var lanes: [LaneProgress]
    /// What earlier runs had read, if this one begins the archive again; else nil.
    package private(set) var replaced: ImportReading?

    /// The bytes from the beginning of the archive that all lanes have counted.
    package var position: Int64 { lanes.map(\.position).min() ?? 0 }
    /// The lines up to `position`, blank ones included.
    package var lines: Int64 { lanes.min { $0.position < $1.position }?.lines ?? 0 }
    /// The lines by outcome.
    package var counts: ImportCounts { lanes.map(\.counts).reduce(ImportCounts(), +) }

    /// Whether the whole archive is counted.
    package var isComplete: Bool { position == size }
    /// What was read of the archive.
    package var reading: ImportReading { ImportReading(lines: lines, counts: counts, isWhole: isComplete) }

    /// Whether a lane has counted some of it.
    var isBegun: Bool { lanes.contains { $0.position > 0 } }

    /// The same run at the beginning of the archive, with nothing counted.
    var fromTheBeginning: ImportProgress {
        var progress = self
        progress.replaced = reading
        progress.lanes = lanes.map { _ in LaneProgress() }
        return progress
    }
}

/// What runs of an import have read of an archive.
package struct ImportReading: Sendable, Equatable {
    /// The lines that all lanes have counted, blank ones included.
    package let lines: Int64
    /// The lines by outcome.
    package let counts: ImportCounts
    /// Whether the archive was read to its end.
    package let isWhole: Bool
}

/// The progress of one lane in an archive.
struct LaneProgress: Sendable, Equatable {
    /// The bytes from the beginning of the archive whose postbacks this lane has counted.
    var position: Int64 = 0
    /// The lines up to `position`, blank ones included.
    var lines: Int64 = 0
    /// The lane's lines by outcome.
    ///
    /// The first lane also counts lines that were refused before their lane was known.
    var counts = ImportCounts()
}

/// A part of an archive.
package struct ImportPart: Sendable {
    /// A postback of the part.
    package struct Entry: Sendable {
        /// The postback.
        package let delivery: PostbackDelivery
        /// The end of its line, in bytes from the beginning of the archive.
        package let end: Int64

        /// Takes a postback and the end of its line.
        package init(_ delivery: PostbackDelivery, end: Int64) {
            self.delivery = delivery
            self.end = end
        }
    }

    /// The postbacks, in the order of the archive.
    package let entries: [Entry]
    /// The end of the part, in bytes from the beginning of the archive.
    package let end: Int64
    /// The number of its last line.
    package let lines: Int64
    /// The number of its lines that were refused before they came to the store.
    package let refused: Int64
    /// The time at which the progress is updated.
    package let time: PostgresTimestamp

    /// Takes the postbacks of a part.
    package init(entries: [Entry], end: Int64, lines: Int64, refused: Int64, time: PostgresTimestamp) {
        self.entries = entries
        self.end = end
        self.lines = lines
        self.refused = refused
        self.time = time
    }
}

/// Why an import can't go on.
package enum ImportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A later run of `import` has taken the archive.
    case movedOn

    /// The reason in words.
    package var description: String {
        switch self {
        case .movedOn: "a later import has taken the same archive"
        }
    }
}
