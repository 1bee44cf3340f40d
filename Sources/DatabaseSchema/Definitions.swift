import AdAttribution
import CSchema
import Encodings
package import PostgresClient

/// A set of definitions: files of functions, views and triggers, which are run in order.
package struct Definitions: Sendable {
    /// A file of the set.
    package struct File: Sendable {
        /// The file's name without its ending, such as `figures`.
        package let name: String
        /// The text of the file.
        package let script: String

        /// Takes a file.
        package init(name: String, script: String) {
            self.name = name
            self.script = script
        }
    }

    /// The number of the set, from 1; a later set has a greater one.
    package let revision: Int32
    /// In the order in which they are run.
    package let files: [File]
    /// SHA-256 of all files, in hexadecimal.
    package let checksum: String

    /// Takes files and their number.
    package init(revision: Int32, files: [File]) {
        self.revision = revision
        self.files = files
        checksum = Hexadecimal.text(SHA256.digest(Array(files.map(\.script).joined().utf8)))
    }

    /// How messages call the set, such as `definitions 12`.
    package var name: String { "definitions \(revision)" }

    /// The definitions that this build reads.
    package static let all = Definitions(
        revision: DEFINITIONS_REVISION,
        files: UnsafeBufferPointer(start: embedded_definitions(), count: embedded_definition_count()).map { file in
            File(name: String(cString: file.name), script: String(cString: file.script))
        })

    /// Stores that a database has this set, and what it made.
    ///
    /// - Parameters:
    ///   - objects: The labels of the objects that the set made.
    ///   - version: The version of the program.
    package func note(
        _ objects: [String], version: String, over connection: isolated PostgresConnection
    ) throws {
        var bindings = PostgresBindings()
        bindings.append(revision)
        bindings.append(checksum)
        bindings.append(version)
        bindings.append(objects)
        _ = try connection.query(DefinitionStatements.remove)
        _ = try connection.query(DefinitionStatements.insert, bindings)
    }
}
