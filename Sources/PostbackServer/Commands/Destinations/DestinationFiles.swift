import Destinations
import StrictJSON

/// Reads the files of destinations that a command names.
enum DestinationFiles {
    /// The most mistakes that are shown of a file.
    private static let maximumMistakes = 20

    /// A file, and what it says.
    struct Read {
        /// Its name, as the command line has it.
        let path: String
        let document: [UInt8]
        let destination: Destination
    }

    /// Reads files, and shows what is wrong with each.
    ///
    /// - Throws: `UnreadableFile`; `RefusedFiles` if any file is refused, or two of them have the same name.
    static func read(_ paths: [String]) throws -> [Read] {
        let files = try paths.map { (path: $0, document: try SchemeFiles.bytes($0)) }
        let read = files.compactMap { path, document -> Read? in
            do throws(DestinationProblems) {
                return Read(path: path, document: document, destination: try Destination(document: document))
            } catch {
                show(error, of: path)
                return nil
            }
        }
        guard read.count == paths.count else { throw RefusedFiles(count: paths.count - read.count) }
        for (name, files) in Dictionary(grouping: read, by: \.destination.name) where files.count > 1 {
            throw RefusedFiles(count: files.count, reason: "all of them are named \(name)")
        }
        return read
    }

    private static func show(_ error: DestinationProblems, of path: String) {
        let path = JSONText.line(path)
        for problem in error.problems.prefix(maximumMistakes) {
            ProgramLog.write("\(path):\(problem.line): \(problem.place): \(problem.rule)")
        }
        let hidden = error.problems.count - maximumMistakes
        if hidden > 0 { ProgramLog.write("\(path): \(hidden) more problems are not shown") }
    }
}
