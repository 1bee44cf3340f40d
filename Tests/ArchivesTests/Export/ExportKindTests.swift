import EventLog
import Foundation
import Testing

@testable import Archives

@Suite("The kind of an export") struct ExportKindTests {
    /// Runs a body with an empty folder, whose path ends in a slash.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "export-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path() + "/")
    }

    private func kinds(_ error: ArchiveError?) -> [String] {
        ["postbacks", "app-store"].filter { error?.rule.contains("of the kind \($0)") == true }
    }

    private static let both = ["postbacks", "app-store"]

    @Test("A folder stays with the kind of its first export, and nothing in it changes if it is refused")
    func folder() throws {
        for kind in ExportKind.allCases {
            try withFolder { path in
                let other: ExportKind = kind == .postbacks ? .appStore : .postbacks
                func began() throws -> Bool {
                    let folder = try SegmentFolder(path, of: kind, filter: nil, suffix: "")
                    guard folder.cursor == nil else { return true }
                    try folder.begin(at: .start)
                    return false
                }
                let isOld = try began()
                #expect(!isOld)
                let before = try Data(contentsOf: URL(filePath: path + "cursor.json"))
                // What a killed run leaves: only an export of the folder's kind may take it away.
                let part = path + "events-000000001.ndjson.part"
                try Data("{".utf8).write(to: URL(filePath: part))
                let error = #expect(throws: ArchiveError.self) {
                    try SegmentFolder(path, of: other, filter: nil, suffix: "")
                }
                #expect(kinds(error) == Self.both, "\(String(describing: error))")
                #expect(error?.path == path + "cursor.json")
                let after = try Data(contentsOf: URL(filePath: path + "cursor.json"))
                #expect(after == before && FileManager.default.fileExists(atPath: part))
                let isKept = try began()
                #expect(isKept && !FileManager.default.fileExists(atPath: part))
            }
        }
    }

    @Test("A file for the cursor of standard output stays with its kind too")
    func stream() throws {
        for kind in ExportKind.allCases {
            try withFolder { path in
                let file = path + "kept.json"
                func begin() throws {
                    let stream = try EventStream(cursorPath: file, of: kind)
                    if stream.cursor == nil { try stream.begin(at: .start) }
                }
                try begin()
                let error = #expect(throws: ArchiveError.self) {
                    try EventStream(cursorPath: file, of: kind == .postbacks ? .appStore : .postbacks)
                }
                #expect(kinds(error) == Self.both, "\(String(describing: error))")
                try begin()
            }
        }
    }

    @Test("A file without a kind is of postbacks, and one of an unknown kind is no cursor")
    func old() throws {
        try withFolder { path in
            let text = "{\"format\":1,\"cursor\":\"\(LogCursor.start)\",\"events\":5"
            try Data("\(text)}".utf8).write(to: URL(filePath: path + "cursor.json"))
            try Data("\(text),\"kind\":\"installs\"}".utf8).write(to: URL(filePath: path + "unknown.json"))
            let old = #expect(throws: ArchiveError.self) {
                try SegmentFolder(path, of: .appStore, filter: nil, suffix: "")
            }
            #expect(kinds(old) == Self.both)
            let folder = try SegmentFolder(path, of: .postbacks, filter: nil, suffix: "")
            #expect(folder.cursor == .start && folder.events == 5)
            let unknown = #expect(throws: ArchiveError.self) {
                try EventStream(cursorPath: path + "unknown.json", of: .postbacks)
            }
            #expect(unknown?.rule == "is not the cursor of an export")
        }
    }
}
