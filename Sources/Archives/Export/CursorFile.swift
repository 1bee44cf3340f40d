import EventLog
import Foundation
import LocalFiles

/// How far an export is, in a file that is replaced as a whole.
///
/// One export at a time holds the file, by a lock beside it that the kernel releases when the program ends.
final class CursorFile: Sendable {
    /// What the file holds.
    struct State: Codable, Sendable, Equatable {
        /// The version of this form.
        var format = 1
        /// Everything up to here was exported.
        var cursor: String
        /// The file that was written last; nil if there is none.
        var file: String?
        /// The number of events that were exported.
        var events: Int64 = 0
        /// What is exported; nil is postbacks, which were all that could be once.
        var kind: ExportKind?

        /// The state of an export that has not begun.
        static func new(_ kind: ExportKind) -> State {
            State(cursor: LogCursor.start.description, kind: kind)
        }
    }

    let path: String
    private let kind: ExportKind
    private let lock: Int32

    /// Far more than `write` writes.
    private static let maximumSize = 65_536

    /// Holds a file, which need not exist.
    ///
    /// - Parameter kind: What is exported.
    /// - Throws: `ArchiveError`, also if another export holds it.
    init(_ path: String, of kind: ExportKind) throws(ArchiveError) {
        self.path = path
        self.kind = kind
        let lockPath = path + ".lock"
        lock = try ArchiveError.naming(lockPath) { () throws(FileError) in try RegularFile.openLock(lockPath) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw ArchiveError(path: path, rule: "another export is at work with it")
        }
    }

    deinit { close(lock) }

    /// What the file holds; nil if there is none.
    ///
    /// - Throws: `ArchiveError` if it is not what `write` writes, or if it is of an export of another kind.
    func read() throws(ArchiveError) -> (state: State, cursor: LogCursor)? {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try RegularFile.bytes(path, atMost: Self.maximumSize, links: .refused)
        } catch {
            guard !error.isMissing else { return nil }
            throw ArchiveError(path: path, rule: error.description)
        }
        guard let state = try? JSONDecoder().decode(State.self, from: Data(bytes)), state.format == 1,
            let cursor = LogCursor(state.cursor)
        else { throw ArchiveError(path: path, rule: "is not the cursor of an export") }
        let stored = state.kind ?? .postbacks
        guard stored == kind else {
            throw ArchiveError(
                path: path,
                rule: "is of an export of the kind \(stored.rawValue), and this one is of the kind \(kind.rawValue): "
                    + "name another place")
        }
        return (state, cursor)
    }

    /// Replaces what the file holds.
    func write(_ state: State) throws(ArchiveError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(state) else {
            throw ArchiveError(path: path, rule: "can't be written as JSON")
        }
        try DurableFile.replace(path, with: Array(data) + [UInt8(ascii: "\n")])
    }
}
