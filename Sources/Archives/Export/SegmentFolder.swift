package import EventLog
import Foundation

/// A folder with files of events, `events-000000001.ndjson` and so on, and the file `cursor.json`.
///
/// A file is written under another name. When it is on the disk, `cursor.json` is replaced by one with the new cursor and the
/// file's name. This moment decides: before it, the next run removes the part; after it, the next run gives the part its
/// name. So a kill at any point neither loses an event nor doubles one.
package final class SegmentFolder: EventTarget {
    package private(set) var cursor: LogCursor?
    package var events: Int64 { state.events }
    package private(set) var open = 0
    /// The number of files that were written.
    package private(set) var files = 0

    private let folder: String
    private let filter: FilterCommand?
    private let suffix: String
    private let cursorFile: CursorFile
    private var state: CursorFile.State
    private var writer: ArchiveWriter?
    private var next: LogCursor?

    private static let prefix = "events-"

    /// Opens a folder, and finishes what a killed run has left there.
    ///
    /// - Parameters:
    ///   - kind: What is exported.
    ///   - filter: A shell command that files are written through.
    ///   - suffix: What their names end in then.
    /// - Throws: `ArchiveError`, also if the folder is of an export of another kind.
    package init(
        _ folder: String, of kind: ExportKind, filter: FilterCommand?, suffix: String
    ) throws(ArchiveError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw ArchiveError(path: folder, rule: "is not a folder; make it first")
        }
        self.folder = folder.hasSuffix("/") ? folder : folder + "/"
        self.filter = filter
        self.suffix = suffix
        state = .new(kind)
        cursorFile = try CursorFile(self.folder + "cursor.json", of: kind)
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .filter { $0.hasPrefix(Self.prefix) }
        if let (state, cursor) = try cursorFile.read() {
            self.state = state
            self.cursor = cursor
            if let file = state.file, names.contains(DurableFile.partPath(file)) {
                try DurableFile.renamePart(of: self.folder + file)
            }
        } else if let file = names.first(where: { !$0.hasSuffix(DurableFile.partPath("")) }) {
            throw ArchiveError(path: self.folder + file, rule: "is here, but no cursor.json that says how far it goes")
        }
        for name in names where name.hasSuffix(DurableFile.partPath("")) && name != state.file.map(DurableFile.partPath)
        {
            unlink(self.folder + name)
        }
    }

    package func begin(at cursor: LogCursor) throws {
        state.cursor = cursor.description
        try cursorFile.write(state)
        self.cursor = cursor
    }

    package func append(_ lines: [UInt8], events: Int, next: LogCursor) throws {
        self.next = next
        guard events > 0 else { return }
        if writer == nil { writer = try ArchiveWriter(DurableFile.partPath(folder + nextName), filter: filter) }
        try writer?.append(lines: lines)
        open += events
    }

    package func commit() throws {
        guard let next, next != cursor else { return }
        var state = state
        state.cursor = next.description
        state.events += Int64(open)
        let file = writer == nil ? nil : nextName
        if let writer, let file {
            state.file = file
            try writer.finish()
            try DurableFile.synchronizeFolder(of: cursorFile.path)
        }
        // If the new cursor can't be made durable, nobody knows whether it is there. So the part stays for the next run.
        writer = nil
        try cursorFile.write(state)
        if let file {
            try DurableFile.renamePart(of: folder + file)
            files += 1
        }
        self.state = state
        (cursor, open) = (next, 0)
    }

    package func cancel() {
        writer?.cancel()
        (writer, open, next) = (nil, 0, nil)
    }

    /// The name of the next file: its number is one more than that of the last one.
    private var nextName: String {
        let last = state.file.flatMap { Int($0.dropFirst(Self.prefix.count).prefix { $0.isNumber }) } ?? 0
        let digits = String(last + 1)
        return Self.prefix + String(repeating: "0", count: max(0, 9 - digits.count)) + digits + ".ndjson" + suffix
    }
}
