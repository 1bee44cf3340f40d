import Access
import Foundation
import Testing

@Suite("The file of tokens")
struct TokenFileTests {
    /// A folder for one test, gone with it.
    private final class Folder {
        let path = NSTemporaryDirectory() + "tokens-\(UUID().uuidString)"

        init() throws {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }

        var file: TokenFile { TokenFile(folder: path) }

        func write(_ text: String, mode: Int = 0o640) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file.path))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        }

        func mode() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        }
    }

    private static let digest = String(repeating: "0a", count: 32)

    /// A row that is right, with some members in place of others.
    private static func row(_ changes: [String: String?] = [:]) -> String {
        var members: [String: String] = [
            "name": "\"ann\"", "scopes": "[\"read\", \"load\"]", "sha256": "\"\(digest)\"",
            "added": "\"2026-11-26T04:30:00Z\"", "added-by": "\"system user root\"", "ends": "\"2027-11-26T04:30:00Z\"",
        ]
        for (name, value) in changes { members[name] = value }
        return "{" + members.map { "\"\($0)\": \($1)" }.sorted().joined(separator: ", ") + "}"
    }

    private static func file(_ rows: String...) -> String { "{\"tokens\": [\(rows.joined(separator: ",\n"))]}" }

    private func add(_ name: String, to file: TokenFile) throws -> BearerToken {
        let token = BearerToken.generate().token
        let now = try #require(TokenTime("2026-11-26T04:30:00Z"))
        let ends = try #require(TokenTime("2027-11-26T04:30:00Z"))
        let act = try #require(NamedToken.Act(now, by: "system user “root”"))
        let tokenName = try #require(TokenName(name))
        try file.change { try $0.add(token, name: tokenName, scopes: [.sign], added: act, ends: ends) }
        return token
    }

    @Test("What was added and revoked is read again; without a file there is no token")
    func roundTrip() throws {
        let folder = try Folder()
        #expect(try folder.file.read() == TokenRing())
        let first = try add("ann", to: folder.file)
        let second = try add("bidder", to: folder.file)
        let ring = try folder.file.read()
        #expect(ring.tokens.map(\.token) == [first, second])
        #expect(ring.tokens.map(\.scopes) == [[.sign], [.sign]])
        #expect(ring.tokens[0].added.person == "system user “root”")
        let time = try #require(TokenTime("2026-12-01T00:00:00Z"))
        let act = try #require(NamedToken.Act(time, by: "system user bob"))
        let name = try #require(TokenName("ann"))
        let revoked = try folder.file.change { try $0.revoke(name, act) }
        #expect(try folder.file.read().tokens == [revoked, ring.tokens[1]])
        // No secret is in it, and nothing is left beside it but the lock.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["tokens.json", "tokens.json.lock"])
    }

    @Test("A change that is refused changes nothing; the file keeps its mode")
    func refused() throws {
        let folder = try Folder()
        _ = try add("ann", to: folder.file)
        #expect(try folder.mode() == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.file.path)
        _ = try add("ann", to: folder.file)
        #expect(try folder.mode() == 0o644)
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.file.path))
        #expect(throws: TokenRing.Refusal.self) { try add("ann", to: folder.file) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file.path)) == before)
    }

    @Test("Twenty that change the file at once lose nothing")
    func concurrent() async throws {
        let folder = try Folder()
        let file = folder.file
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 { group.addTask { _ = try add("program-\(number)", to: file) } }
            try await group.waitForAll()
        }
        #expect(try file.read().tokens.count == 20)
    }

    @Test("What breaks a rule is refused with its line and rule, and no digest is shown")
    func rules() throws {
        let good = Self.row()
        let cases: [(text: String, rule: String)] = [
            ("", "line 1"), ("[]", "line 1"), ("{}", "“tokens” alone"), ("{\"tokens\": {}}", "“tokens” alone"),
            ("{\"tokens\": [], \"more\": 1}", "“tokens” alone"), ("{\"tokens\": [1]}", "a token must be an object"),
            (Self.file(good, Self.row(["name": "\"bob\""])), "line 2: sha256: must be another one in each row"),
            (Self.file(Self.row(["name": nil])), "name: is missing"),
            (Self.file(Self.row(["name": "\"Ann\""])), "name: must be 1 to 64 characters"),
            (Self.file(Self.row(["name": "7"])), "name: must be 1 to 64 characters"),
            (Self.file(Self.row(["scopes": "[]"])), "scopes: must be an array of one scope or more"),
            (Self.file(Self.row(["scopes": "[\"write\"]"])), "scopes: each must be one of read, load, sign, operate"),
            (Self.file(Self.row(["scopes": "[\"read\", \"read\"]"])), "scopes: read stands twice"),
            (Self.file(Self.row(["sha256": "\"0a\""])), "sha256: must be the SHA-256 of a token"),
            (Self.file(Self.row(["ends": "\"2027-11-26\""])), "ends: must be a time in UTC"),
            (Self.file(Self.row(["ends": nil])), "ends: is missing"),
            (Self.file(Self.row(["added-by": "\"\""])), "added-by: must be 1 to 128 characters"),
            (Self.file(Self.row(["added-by": "\"a\\u001b[2J\""])), "added-by: must be 1 to 128 characters"),
            (Self.file(Self.row(["revoked": "\"2026-12-01T00:00:00Z\""])), "revoked-by: is missing"),
            (Self.file(Self.row(["scope": "[\"read\"]"])), ": scope is not a member that is known here"),
            ("{\"tokens\": [{\"name\": \"a\", \"name\": \"b\"}]}", "stands twice in its object"),
        ]
        let folder = try Folder()
        for (text, rule) in cases {
            try folder.write(text)
            let error = #expect(throws: TokenFileError.self, "\(text)") { try folder.file.read() }
            let line = try #require(error).description
            #expect(line.hasPrefix("tokens: ") && line.contains("tokens.json") && line.contains(rule), "\(line)")
            #expect(!line.contains(Self.digest) && !line.contains("\n"))
        }
        try folder.write(Self.file(good))
        #expect(try folder.file.read().tokens.count == 1)
    }

    @Test("A symbolic link is not replaced: the message names the real file, and nothing is changed")
    func link() throws {
        let (real, folder) = (try Folder(), try Folder())
        _ = try add("ann", to: real.file)
        let before = try Data(contentsOf: URL(fileURLWithPath: real.file.path))
        try FileManager.default.createSymbolicLink(atPath: folder.file.path, withDestinationPath: real.file.path)
        let error = #expect(throws: TokenFileError.self) { try add("bob", to: folder.file) }
        #expect(try #require(error).isUnwritten)
        let rule = try #require(error).rule
        #expect(rule.hasPrefix("is a symbolic link to ") && rule.contains("--keyring-path "), "\(rule)")
        #expect(rule.contains(URL(fileURLWithPath: real.path).lastPathComponent), "\(rule)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["tokens.json"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file.path) == real.file.path)
        #expect(try Data(contentsOf: URL(fileURLWithPath: real.file.path)) == before)
        // It is read all the same.
        #expect(try folder.file.read().tokens.count == 1)
        try FileManager.default.removeItem(atPath: real.file.path)
        let nowhere = #expect(throws: TokenFileError.self) { try add("bob", to: folder.file) }
        #expect(try #require(nowhere).rule == "is a symbolic link that leads nowhere; remove it")
    }

    @Test("If what must be done before the file is replaced fails, the file stays as it was and nothing is beside it")
    func beforeReplacing() throws {
        struct Failed: Error {}
        let folder = try Folder()
        _ = try add("ann", to: folder.file)
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.file.path))
        let name = try #require(TokenName("ann"))
        let now = try #require(TokenTime("2026-12-01T00:00:00Z"))
        let act = try #require(NamedToken.Act(now, by: "system user bob"))
        #expect(throws: Failed.self) {
            _ = try folder.file.change {
                try $0.revoke(name, act)
            } beforeReplacing: {
                // The old file is in place until this is done.
                #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file.path)) == before)
                throw Failed()
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file.path)) == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["tokens.json", "tokens.json.lock"])
    }

    @Test("A file that everybody may write is refused")
    func writable() throws {
        let folder = try Folder()
        try folder.write(Self.file(Self.row()), mode: 0o646)
        let error = #expect(throws: TokenFileError.self) { try folder.file.read() }
        #expect(try #require(error).rule.contains("chmod o-w"))
    }
}
