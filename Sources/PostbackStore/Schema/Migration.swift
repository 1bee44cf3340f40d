import AdAttribution
import Encodings
import Migrations

/// A migration: a file `NNNN_name.sql` that is applied once.
public struct Migration: Sendable, Equatable {
    /// The number in the file's name, from 1 without gaps.
    public let number: Int32
    /// The file's name without its ending, such as `0001_dimensions`.
    public let name: String
    /// SHA-256 of the file, in hexadecimal.
    public let checksum: String
    /// The text of the file.
    let script: String

    /// Takes a file and its number.
    init(number: Int32, name: String, script: [UInt8]) {
        self.number = number
        self.name = name
        self.script = String(decoding: script, as: UTF8.self)
        checksum = Hexadecimal.text(SHA256.digest(script))
    }

    /// All migrations in order.
    ///
    /// They make the schema that this build reads and writes.
    public static let all: [Migration] = EmbeddedMigrations.files.enumerated().map { index, file in
        Migration(number: Int32(index + 1), name: file.name, script: file.script)
    }
}
