import Foundation
import LocalFiles
import Testing

/// Values that were made of files.
@Suite("Files that are read again")
struct FileBackedTests {
    private struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// A file in a folder of its own, gone with it.
    private final class File: Sendable {
        let path: String

        init(_ text: String) throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "backed-\(UUID().uuidString)").path()
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            path = folder + "/file"
            try write(text)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: FolderPath.of(path))
        }

        func write(_ text: String) throws {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        }

        func remove() throws {
            try FileManager.default.removeItem(atPath: path)
        }

        /// Its text, refused if it is `bad`.
        func read(_ files: inout FileStamps) throws -> String {
            files.note(path)
            let text = String(decoding: try RegularFile.bytes(path, atMost: 100), as: UTF8.self)
            guard text != "bad" else { throw Refusal(description: "it is bad") }
            return text
        }
    }

    @Test("A changed file is read once; one that did not change is read only if that is asked for")
    func changed() throws {
        let file = try File("one")
        let backed = try FileBacked { try file.read(&$0) }
        #expect(backed.reload(onlyIfChanged: true) == .unchanged)
        #expect(backed.reload(onlyIfChanged: false) == .replaced)
        try file.write("two")
        #expect(backed.value == "one")
        #expect(backed.reload(onlyIfChanged: true) == .replaced)
        #expect(backed.value == "two")
        #expect(backed.reload(onlyIfChanged: true) == .unchanged)
    }

    @Test("A file that can't be used leaves the old value, with the reason, until a good one is there")
    func refused() throws {
        let file = try File("one")
        let backed = try FileBacked { try file.read(&$0) }
        try file.write("bad")
        #expect(backed.reload(onlyIfChanged: true) == .refused("it is bad"))
        #expect(backed.value == "one" && backed.refusal == "it is bad")
        // It is said once for each change, and again if that is asked for.
        #expect(backed.reload(onlyIfChanged: true) == .unchanged)
        #expect(backed.reload(onlyIfChanged: false) == .refused("it is bad"))
        try file.remove()
        guard case .refused(let missing) = backed.reload(onlyIfChanged: true) else {
            Issue.record("a missing file is in force")
            return
        }
        #expect(backed.value == "one" && backed.refusal == missing)
        try file.write("two")
        #expect(backed.reload(onlyIfChanged: true) == .replaced)
        #expect(backed.value == "two" && backed.refusal == nil)
    }

    @Test("There is no value without a good file at the start")
    func start() throws {
        let file = try File("bad")
        #expect(throws: Refusal.self) { try FileBacked { try file.read(&$0) } }
    }
}
