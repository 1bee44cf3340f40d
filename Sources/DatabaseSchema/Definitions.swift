import AdAttribution
import CSchema
import Encodings

/// The definitions: files of functions, views and triggers, which are run in order.
package struct Definitions: Sendable {
    /// A file of the set.
    package struct File: Sendable {
        /// The file's name without its ending, such as `figures`.
        package let name: String
        /// The text of the file.
        package let script: String
    }

    package let files: [File]
    /// SHA-256 of all files, in hexadecimal.
    package let checksum: String

    init(files: [File]) {
        self.files = files
        checksum = Hexadecimal.text(SHA256.digest(Array(files.map(\.script).joined().utf8)))
    }

    /// The set as a step that a database has.
    package var step: Schema.Step { Schema.Step(name: "definitions", checksum: checksum) }

    /// The definitions that this build reads.
    package static let all = Definitions(
        files: UnsafeBufferPointer(start: embedded_definitions(), count: embedded_definition_count()).map { file in
            File(name: String(cString: file.name), script: String(cString: file.script))
        })
}
