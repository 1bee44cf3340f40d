import AdAttribution
import CSchema
import Encodings

/// The definitions: files of functions, views and triggers, which are run in order.
struct Definitions: Sendable {
    /// A file of the set.
    struct File: Sendable {
        /// The file's name without its ending, such as `figures`.
        let name: String
        /// The text of the file.
        let script: String
    }

    let files: [File]
    /// SHA-256 of all files, in hexadecimal.
    let checksum: String

    init(files: [File]) {
        self.files = files
        checksum = Hexadecimal.text(SHA256.digest(Array(files.map(\.script).joined().utf8)))
    }

    /// The set as a step that a database has.
    var step: Schema.Step { Schema.Step(name: "definitions", checksum: checksum) }

    /// The definitions that this build reads.
    static let all = Definitions(
        files: UnsafeBufferPointer(start: embedded_definitions(), count: embedded_definition_count()).map { file in
            File(name: String(cString: file.name), script: String(cString: file.script))
        })
}
