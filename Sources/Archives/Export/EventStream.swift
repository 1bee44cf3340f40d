package import EventLog
import Glibc
import LocalFiles

/// Standard output, with a file for the cursor if there should be one.
///
/// The cursor is written after the events. If the program is killed between, the next run repeats at most one page.
package final class EventStream: EventTarget {
    package private(set) var cursor: LogCursor?
    package var events: Int64 { state.events }
    package let open = 0

    private let cursorFile: CursorFile?
    private var state: CursorFile.State
    private var next: LogCursor?

    /// Goes on at the cursor of a file.
    ///
    /// - Parameter kind: What is exported.
    /// - Throws: `ArchiveError`, also if the file is of an export of another kind.
    package init(cursorPath: String?, of kind: ExportKind) throws(ArchiveError) {
        state = .new(kind)
        cursorFile = try cursorPath.map { (path) throws(ArchiveError) in try CursorFile(path, of: kind) }
        guard let (state, cursor) = try cursorFile?.read() else { return }
        self.state = state
        self.cursor = cursor
    }

    package func begin(at cursor: LogCursor) throws {
        state.cursor = cursor.description
        try cursorFile?.write(state)
        self.cursor = cursor
    }

    package func append(_ lines: [UInt8], events: Int, next: LogCursor) throws {
        let problem = Descriptor.write(lines, to: STDOUT_FILENO)
        // What was written of this page does not count: the cursor stays before it.
        guard problem != EPIPE else { throw OutputClosed() }
        guard problem == 0 else {
            throw ArchiveError(
                path: "standard output", rule: "can't be written: \(String(cString: strerror(problem)))")
        }
        self.next = next
        state.events += Int64(events)
        try commit()
    }

    package func commit() throws {
        guard let next, next != cursor else { return }
        state.cursor = next.description
        try cursorFile?.write(state)
        cursor = next
    }

    package func cancel() {}
}
