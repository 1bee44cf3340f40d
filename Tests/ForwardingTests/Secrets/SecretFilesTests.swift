import Destinations
import Forwarding
import Foundation
import Testing

@Suite("Files of secrets")
final class SecretFilesTests {
    private let folder: String
    private let files: SecretFiles

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "secrets-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        files = SecretFiles(folder: folder)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func write(_ text: String, to name: String = "token", mode: Int = 0o600) throws {
        let path = "\(folder)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// A header with the secret `token`, as it would be sent now.
    private func header() throws -> String {
        let name = try #require(SecretName("token"))
        let request = PreparedRequest(
            method: .post, url: "https://receiver.example/",
            headers: [HeaderField(name: "a", value: "<{secret:token}>")],
            body: nil, webhookID: "pb_1", signing: [])
        let signed = try request.signed(with: files.secrets([name]), at: 0)
        return try #require(signed.headers.first?.value)
    }

    private func problem() throws -> String? {
        do {
            _ = try header()
            return nil
        } catch let error as SecretProblem {
            return "\(error)"
        }
    }

    @Test("A secret is the line of its file, also after the file was replaced")
    func replaced() throws {
        try write("one\n")
        #expect(try header() == "<one>")
        #expect(try header() == "<one>")
        try write("another\n")
        #expect(try header() == "<another>")
    }

    @Test("A file that is missing is named, and used as soon as it is there; one that is gone is not used any more")
    func missing() throws {
        #expect(try problem() == "secret token is missing")
        try write("one")
        #expect(try header() == "<one>")
        try FileManager.default.removeItem(atPath: folder + "/token")
        #expect(try problem() == "secret token is missing")
    }

    @Test("A file that others may read, or that is no line of text, is refused until it is mended")
    func refused() throws {
        try write("abc", mode: 0o640)
        #expect(try problem() == "secret token must not be open to others: its mode must be 0600 or less")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/token")
        #expect(try header() == "<abc>")
        for text in ["", "abc\ndef", String(repeating: "a", count: Secret.maximumSize + 1)] {
            try write(text)
            #expect(try problem() == "secret token \(Secret.rule)")
        }
        try write(String(repeating: "a", count: Secret.maximumSize + 3))
        #expect(try problem() == "secret token is too large: it may have \(Secret.maximumSize + 2) bytes")
    }

    @Test("Of several secrets the first one that is wrong is named")
    func several() throws {
        try write("1", to: "a")
        try write("2", to: "c")
        let names = try ["a", "b", "c", "d"].map { try #require(SecretName($0)) }
        #expect(throws: SecretProblem.missing(names[1])) { try self.files.secrets(names) }
        #expect(try files.secrets([names[0], names[2]]).count == 2)
        #expect(try files.secrets([]).isEmpty)
    }
}
