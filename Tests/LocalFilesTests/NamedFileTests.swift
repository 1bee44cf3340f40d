import Foundation
import LocalFiles
import Testing

/// Names of files, where somebody may have written the secret itself.
@Suite("Files that an operator names")
struct NamedFileTests {
    @Test("A name is shown only if there is a file of this name")
    func shown() throws {
        let folder = NSTemporaryDirectory() + "named-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("text".utf8).write(to: URL(fileURLWithPath: folder + "/a.pem"))
        let file = try #require(NamedFile("a.pem", in: folder))
        #expect(file.path == folder + "/a.pem" && file.shown == "a.pem")
        #expect(NamedFile(folder + "/a.pem", in: "/nowhere")?.shown == folder + "/a.pem")
        // Each is in a folder that is there.
        for secret in ["hunter2", "correct horse battery", "/hunter2", String(repeating: "a", count: 5_000)] {
            #expect(try #require(NamedFile(secret, in: folder)).shown == nil, "\(secret)")
        }
        #expect(NamedFile("hunter2")?.path == "hunter2")
    }

    @Test("A text that can't be a name is refused: PEM, control characters, and nothing")
    func refused() {
        for text in ["", "-----BEGIN PRIVATE KEY-----", "a\nb", "a\r", "a.pem\0hunter2", "a\u{7F}"] {
            #expect(NamedFile(text, in: "/") == nil, "\(text.debugDescription)")
        }
    }
}
