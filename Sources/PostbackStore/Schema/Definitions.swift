import CSchema

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

    /// The definitions that this build reads.
    static let all = Definitions(
        files: UnsafeBufferPointer(start: embedded_definitions(), count: embedded_definition_count()).map { file in
            File(name: String(cString: file.name), script: String(cString: file.script))
        })
}
