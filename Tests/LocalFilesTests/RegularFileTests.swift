import Foundation
import LocalFiles
import Testing

/// Files that a program opens by name.
@Suite("Files of the operator")
struct RegularFileTests {
    /// A folder for one test, gone with it.
    private final class Folder {
        let path = NSTemporaryDirectory() + "files-\(UUID().uuidString)"

        init() throws {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }

        subscript(_ name: String) -> String { path + "/" + name }

        func write(_ name: String, _ text: String = "text", mode: Int = 0o600) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: self[name]))
            try setMode(mode, of: self[name])
        }

        func setMode(_ mode: Int, of path: String) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }

        func link(_ name: String, to target: String) throws {
            try FileManager.default.createSymbolicLink(atPath: self[name], withDestinationPath: target)
        }

        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    private func problem<Value>(_ body: () throws(FileError) -> Value) -> FileError? {
        do throws(FileError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    private func problem(
        _ path: String, atMost limit: Int = 100, links: FileLinks = .followed, trust: FileTrust = .anybody
    ) -> String? {
        problem { () throws(FileError) in try RegularFile.bytes(path, atMost: limit, links: links, trust: trust) }?
            .description
    }

    @Test("A named pipe, a folder, a device and a missing file are refused at once, and what they are is said")
    func kinds() throws {
        let folder = try Folder()
        try #require(mkfifo(folder["pipe"], 0o600) == 0)
        #expect(problem(folder["pipe"]) == "must be a file, and is a named pipe")
        #expect(problem(folder.path) == "must be a file, and is a folder")
        #expect(problem("/dev/zero") == "must be a file, and is a device")
        #expect(problem(folder["none"]) == "can't be read: No such file or directory")
        #expect(
            problem { () throws(FileError) in try RegularFile.bytes(folder["none"], atMost: 1) }?.isMissing == true)
        #expect(problem { () throws(FileError) in try RegularFile.openLock(folder["pipe"]) } != nil)
    }

    @Test("A file of the greatest size is read whole, and one byte more is refused")
    func size() throws {
        let folder = try Folder()
        let text = String(repeating: "x", count: 200_000)
        try folder.write("file", text)
        #expect(try RegularFile.bytes(folder["file"], atMost: 200_000) == Array(text.utf8))
        #expect(problem(folder["file"], atMost: 199_999) == "is too large: it may have 199999 bytes")
        try folder.write("empty", "")
        #expect(try RegularFile.bytes(folder["empty"], atMost: 0) == [])
    }

    @Test("Where links are refused, one is named, also if it leads nowhere, and what is behind it does not change")
    func links() throws {
        let folder = try Folder()
        try folder.write("target", "mine")
        try folder.link("link", to: folder["target"])
        try folder.link("dangling", to: folder["new"])
        for name in ["link", "dangling"] {
            #expect(problem(folder[name], links: .refused)?.hasPrefix("is a symbolic link") == true)
            for problem in [
                problem { () throws(FileError) in try RegularFile.create(folder[name]) },
                problem { () throws(FileError) in try RegularFile.openLock(folder[name]) },
                problem { () throws(FileError) in try RegularFile.check(folder[name]) },
            ] {
                #expect(problem?.description.hasPrefix("is a symbolic link") == true, "\(name)")
            }
            #expect(RegularFile.exists(folder[name]))
        }
        #expect(try RegularFile.bytes(folder["link"], atMost: 100) == Array("mine".utf8))
        #expect(try folder.names() == ["dangling", "link", "target"])
        // The folder itself may be behind a link.
        try folder.link("folder", to: folder.path)
        #expect(problem(folder["folder"] + "/target", links: .refused) == nil)
    }

    @Test("A file that was left is replaced by a new one, which only its owner may open")
    func create() throws {
        let folder = try Folder()
        try folder.write("left", "old", mode: 0o644)
        let reader = try RegularFile.open(folder["left"])
        defer { close(reader) }
        let descriptor = try RegularFile.create(folder["left"])
        #expect(Descriptor.write(Array("new".utf8), to: descriptor) == 0)
        close(descriptor)
        #expect(try RegularFile.bytes(folder["left"], atMost: 100, trust: .ownerOnly) == Array("new".utf8))
        // Whoever has the old file open does not see the new one.
        var status = stat()
        #expect(fstat(reader, &status) == 0 && status.st_nlink == 0)
    }

    @Test(
        "A secret is for its owner alone; a file that decides whom we trust may be written by its group, not by all",
        arguments: [
            (0o600, true, true), (0o400, true, true), (0o440, false, true), (0o664, false, true), (0o644, false, true),
            (0o602, false, false), (0o646, false, false), (0o666, false, false), (0o777, false, false),
        ])
    func modes(_ mode: Int, _ isSecret: Bool, _ isTrusted: Bool) throws {
        let folder = try Folder()
        try folder.write("file", mode: mode)
        let path = folder["file"]
        let secret = problem(path, trust: .ownerOnly)
        #expect((secret == nil) == isSecret, "\(secret ?? "")")
        if !isSecret { #expect(secret?.contains("0600 or less") == true) }
        let trusted = problem(path, trust: .notForAllToWrite)
        #expect((trusted == nil) == isTrusted, "\(trusted ?? "")")
        if !isTrusted { #expect(trusted?.contains("run chmod o-w") == true) }
        #expect(problem(path) == nil)
    }

    @Test("In a folder that all may write, a file is trusted only under the sticky bit; links do not hide the folder")
    func folders() throws {
        let outer = try Folder()
        let inner = outer["inner"]
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        try outer.write("inner/file")
        try outer.link("link", to: "inner/file")
        for (mode, isTrusted) in [(0o755, true), (0o775, true), (0o777, false), (0o1777, true)] {
            try outer.setMode(mode, of: inner)
            for path in [inner + "/file", outer["link"]] {
                for trust in [FileTrust.notForAllToWrite, .ownerOnly] {
                    let problem = problem(path, trust: trust)
                    #expect((problem == nil) == isTrusted, "\(mode) \(path): \(problem ?? "")")
                    if !isTrusted { #expect(problem?.contains("chmod o-w \(inner)") == true, "\(problem ?? "")") }
                }
            }
        }
    }

    @Test("The secrets of Kubernetes, behind two links in a folder with the sticky bit, are trusted")
    func kubernetes() throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder["..2026_01_31"], withIntermediateDirectories: false)
        try folder.write("..2026_01_31/keyring.json", "{}", mode: 0o400)
        try folder.link("..data", to: "..2026_01_31")
        try folder.link("keyring.json", to: "..data/keyring.json")
        try folder.setMode(0o1777, of: folder.path)
        for trust in [FileTrust.notForAllToWrite, .ownerOnly] {
            #expect(problem(folder["keyring.json"], trust: trust) == nil)
        }
    }
}
