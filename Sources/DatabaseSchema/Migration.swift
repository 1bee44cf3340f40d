import AdAttribution
import CSchema
import Encodings

/// A migration: a file `NNNN_name.sql` that is applied once.
package struct Migration: Sendable, Equatable {
    /// The number in the file's name, from 1 without gaps.
    package let number: Int32
    /// The file's name without its ending, such as `0001_dimensions`.
    package let name: String
    /// SHA-256 of the file, in hexadecimal.
    package let checksum: String
    /// The text of the file.
    package let script: String

    /// Takes a file and its number.
    init(number: Int32, name: String, script: String) {
        self.number = number
        self.name = name
        self.script = script
        checksum = Hexadecimal.text(SHA256.digest(Array(script.utf8)))
    }

    /// All migrations in order.
    ///
    /// They make the schema that this build reads and writes.
    package static let all: [Migration] = UnsafeBufferPointer(
        start: embedded_migrations(), count: embedded_migration_count()
    ).enumerated().map { index, file in
        Migration(number: Int32(index + 1), name: String(cString: file.name), script: String(cString: file.script))
    }
}
