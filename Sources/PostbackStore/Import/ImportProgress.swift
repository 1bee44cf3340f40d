public import PostgresClient

/// How far an archive is imported.
public struct ImportProgress: Sendable, Equatable {
    /// What tells the archive from others, whatever it is called.
    public let fingerprint: [UInt8]
    /// The bytes that the archive has.
    public let size: Int64
    /// The bytes that are done.
    public let position: Int64
    /// The lines that are done, blank ones included.
    public let lines: Int64
    /// What became of them.
    public let counts: ImportCounts

    /// Whether all is done.
    public var isComplete: Bool { position == size }
}

/// A part of an archive that is counted in one transaction.
public struct ImportPart: Sendable {
    /// The archive, as far as it was done before.
    public let progress: ImportProgress
    /// Where the part ends, in bytes.
    public let end: Int64
    /// How many lines it has, blank ones included.
    public let lines: Int64
    /// How many of them were refused before they came to the database.
    public let refused: Int64
    /// When it was written.
    public let time: PostgresTimestamp

    /// The part behind what is done.
    public init(after progress: ImportProgress, end: Int64, lines: Int64, refused: Int64, time: PostgresTimestamp) {
        self.progress = progress
        self.end = end
        self.lines = lines
        self.refused = refused
        self.time = time
    }
}

/// Why an import can't go on.
public enum ImportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The progress is not where this import left it.
    case movedOn

    /// The reason in words.
    public var description: String {
        switch self {
        case .movedOn: "another import of the same archive is at work"
        }
    }
}
