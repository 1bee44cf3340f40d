import AdAttribution
import Foundation
import LocalFiles
import Testing

@testable import PostbackIngest

@Suite("Loading a key ring") struct KeyRingLoadingTests {
    /// A folder of its own, gone when the body ends.
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func write(_ text: String, to file: String, in folder: URL, mode: Int = 0o600) throws {
        let path = folder.appendingPathComponent(file)
        // A new file takes its place, since only root may write to one without the write bit.
        try Data(text.utf8).write(to: path, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path.path)
    }

    /// What loading this `keyring.json` says; nil if it says nothing.
    private func rule(brokenBy json: String, in folder: URL) throws -> String? {
        try write(json, to: "keyring.json", in: folder)
        do throws(KeyRingError) {
            _ = try KeyRing(folder: folder.path)
            return nil
        } catch {
            #expect(error.file == folder.path + "/keyring.json")
            #expect(error.description.hasPrefix("key ring: \(error.file): "))
            return error.member.map { "\($0): \(error.rule)" } ?? error.rule
        }
    }

    @Test("Networks, apps and keys are read, with key files beside keyring.json or at an absolute path")
    func complete() throws {
        try withFolder { folder in
            let key = try SigningKey.generate(.p256)
            try write(key.pem, to: "network.pem", in: folder)
            try write(key.publicKey.pem, to: "test.pub", in: folder, mode: 0o644)
            let json = """
                {"networks": [{"ad-network-id": "example123.skadnetwork", "private-key": "network.pem"},
                              {"ad-network-id": "com.example"}],
                 "developer-apps": [525463029],
                 "postback-keys": [{"name": "load", "environment": "test", "public-key": "\(folder.path)/test.pub"}]}
                """
            try write(json, to: "keyring.json", in: folder)
            let ring = try KeyRing(folder: folder.path)
            #expect(ring.networks.map(\.adNetworkID.text) == ["example123.skadnetwork", "com.example"])
            #expect(ring.networks.map { $0.signingKey == nil } == [false, true])
            #expect(ring.developerApps.count == 1)
            #expect(ring.postbackKeys.map(\.name).contains("load"))
            #expect(try rule(brokenBy: "{}", in: folder) == nil)
        }
    }

    @Test("A missing folder and what is not JSON are refused")
    func noJSON() throws {
        #expect(throws: KeyRingError.self) { try KeyRing(folder: "/nonexistent") }
        try withFolder { folder in
            for (text, line) in [("", 1), ("{", 1), ("not JSON", 1), ("[]", 1), ("{\n\"networks\": [\n}", 3)] {
                let complaint = try #require(try rule(brokenBy: text, in: folder))
                #expect(complaint.hasPrefix("line \(line): "), "\(complaint)")
            }
            let large = String(repeating: " ", count: 1 << 20) + "{}"
            let rule = try rule(brokenBy: large, in: folder)
            #expect(rule?.contains("is too large") == true)
        }
    }

    @Test("A member that stands twice is refused, since parsers disagree about which one counts")
    func doubledMember() throws {
        try withFolder { folder in
            let doubled = try rule(
                brokenBy: #"{"networks": [{"ad-network-id": "com.a", "ad-network-id": "com.b"}]}"#, in: folder)
            #expect(doubled == "line 1: ad-network-id stands twice in its object")
            #expect(try rule(brokenBy: #"{"networks": [], "networks": []}"#, in: folder) != nil)
        }
    }

    @Test("A complaint names the member and its rule")
    func members() throws {
        try withFolder { folder in
            let complaints = [
                (#"{"network": []}"#, "network: is not a member that is known here"),
                (#"{"networks": [{"ad-network-id": "a.b", "key": 1}]}"#, "networks[0].key: is not a member"),
                (#"{"networks": [{}]}"#, "networks[0].ad-network-id: is missing"),
                (#"{"networks": {}}"#, "networks: must be a"),
                (#"{"networks": [{"ad-network-id": "spaces are wrong"}]}"#, "networks[0].ad-network-id: must be"),
                (#"{"developer-apps": [-1]}"#, "developer-apps[0]: must be"),
                (
                    #"{"developer-apps": [1, 9223372036854775808]}"#,
                    "developer-apps[1]: must be an integer from 0 to 9223372036854775807"
                ),
                (#"{"developer-apps": [1.5]}"#, "developer-apps[0]: must be an integer"),
                (#"{"developer-apps": ["1"]}"#, "developer-apps"),
                (
                    #"{"app-store": {"apps": [{"bundle-id": "a", "app-id": 9223372036854775808}]}}"#,
                    "app-store.apps[0].app-id: must be an integer from 0 to 9223372036854775807"
                ),
                (
                    #"{"postback-keys": [{"name": "a", "environment": "none", "public-key": "x"}]}"#,
                    "postback-keys[0].environment: must be development or test"
                ),
                (
                    #"{"postback-keys": [{"name": "a", "environment": "test", "public-key": "no.pub"}]}"#,
                    "postback-keys[0].public-key: "
                ),
                (
                    #"{"networks": [{"ad-network-id": "com.example", "private-key": "no.pem"}]}"#,
                    "networks[0].private-key: the file that it names can't be read: No such file or directory"
                        + " (network com.example)"
                ),
            ]
            for (json, beginning) in complaints {
                let complaint = try rule(brokenBy: json, in: folder)
                #expect(complaint?.hasPrefix(beginning) == true, "\(complaint ?? "nothing")")
            }
        }
    }

    @Test("A private key that others may read, or that is no key, is refused, and no byte of it is shown")
    func privateKeys() throws {
        try withFolder { folder in
            let json = #"{"networks": [{"ad-network-id": "com.example", "private-key": "network.pem"}]}"#
            let text = try SigningKey.generate(.p256).pem
            for mode in [0o640, 0o604, 0o644, 0o660] {
                try write(text, to: "network.pem", in: folder, mode: mode)
                #expect(
                    try rule(brokenBy: json, in: folder)
                        == "networks[0].private-key: network.pem must not be open to others: its mode must be 0600 or less"
                )
            }
            try write(text, to: "network.pem", in: folder, mode: 0o400)
            #expect(try rule(brokenBy: json, in: folder) == nil)
            try write("not a key: secret", to: "network.pem", in: folder)
            let complaint = try #require(try rule(brokenBy: json, in: folder))
            #expect(complaint.hasPrefix("networks[0].private-key: network.pem: "))
            #expect(!complaint.contains("secret"))
        }
    }

    @Test("A named pipe, and a file or a folder that everybody may write, is refused with its name, and nothing waits")
    func untrustworthy() throws {
        try withFolder { folder in
            let key = try SigningKey.generate(.p256)
            let json = #"""
                {"networks": [{"ad-network-id": "com.example", "private-key": "network.pem"}],
                 "postback-keys": [{"name": "test", "environment": "test", "public-key": "test.pub"}]}
                """#
            func restore() throws {
                try write(key.pem, to: "network.pem", in: folder)
                try write(key.publicKey.pem, to: "test.pub", in: folder, mode: 0o664)
            }
            try restore()
            #expect(try rule(brokenBy: json, in: folder) == nil)
            for (file, member) in [
                ("network.pem", "networks[0].private-key"), ("test.pub", "postback-keys[0].public-key"),
            ] {
                let path = folder.path + "/" + file
                try FileManager.default.removeItem(atPath: path)
                try #require(mkfifo(path, 0o600) == 0)
                #expect(
                    try rule(brokenBy: json, in: folder) == "\(member): \(file) must be a file, and is a named pipe")
                try FileManager.default.removeItem(atPath: path)
                try restore()
            }
            try write(key.publicKey.pem, to: "test.pub", in: folder, mode: 0o666)
            let everybody = try #require(try rule(brokenBy: json, in: folder))
            #expect(everybody.hasPrefix("postback-keys[0].public-key: test.pub may be written by everybody"))
            try restore()
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
            let open = try #require(try rule(brokenBy: json, in: folder))
            #expect(open.contains("run chmod o-w \(folder.path)"), "\(open)")
        }
    }

    @Test("A keyring.json that everybody may write, or that is a named pipe, is refused")
    func keyRingFile() throws {
        try withFolder { folder in
            let path = folder.path + "/keyring.json"
            try write("{}", to: "keyring.json", in: folder, mode: 0o646)
            let everybody = #expect(throws: KeyRingError.self) { try KeyRing(folder: folder.path) }
            #expect(everybody?.description.contains("keyring.json: may be written by everybody") == true)
            try FileManager.default.removeItem(atPath: path)
            try #require(mkfifo(path, 0o600) == 0)
            let pipe = #expect(throws: KeyRingError.self) { try KeyRing(folder: folder.path) }
            #expect(pipe?.rule == "must be a file, and is a named pipe")
        }
    }

    @Test("A name that is taken is refused")
    func takenNames() throws {
        try withFolder { folder in
            let twice = #"{"networks": [{"ad-network-id": "com.example"}, {"ad-network-id": "COM.example"}]}"#
            let rule = try rule(brokenBy: twice, in: folder)
            #expect(rule != nil)
        }
    }

    @Test("A network signs with an encrypted key, whose passphrase is in a file that only its owner may read")
    func encryptedKey() throws {
        try withFolder { folder in
            let key = try SigningKey.generate()
            let json = #"""
                {"networks": [{"ad-network-id": "com.example", "private-key": "network.pem",
                               "passphrase-file": "network.pass"}]}
                """#
            let passphrase = try #require(Passphrase(file: Array("open sesame".utf8)))
            try write(key.pem(encryptedWith: passphrase), to: "network.pem", in: folder)
            try write("open sesame\n", to: "network.pass", in: folder)
            #expect(try rule(brokenBy: json, in: folder) == nil)
            let ring = try KeyRing(folder: folder.path)
            #expect(ring.networks.first?.signingKey?.publicKey.pem == key.publicKey.pem)
            for (text, mode, expected) in [
                ("open sesame", 0o640, "networks[0].passphrase-file: network.pass must not be open to others"),
                (
                    "other", 0o600,
                    "networks[0].private-key: network.pem: encrypted, and the passphrase does not open it"
                ),
                ("", 0o600, "networks[0].passphrase-file: network.pass must have 1 to 1024 bytes"),
            ] {
                try write(text, to: "network.pass", in: folder, mode: mode)
                let complaint = try #require(try rule(brokenBy: json, in: folder))
                #expect(complaint.hasPrefix(expected) && !complaint.contains("sesame"), "\(complaint)")
            }
            let without = #"{"networks": [{"ad-network-id": "com.example", "private-key": "network.pem"}]}"#
            #expect(
                try rule(brokenBy: without, in: folder)
                    == "networks[0].private-key: network.pem: encrypted, and no passphrase is given")
            try write("open sesame", to: "network.pass", in: folder)
            try write(key.pem, to: "network.pem", in: folder)
            #expect(
                try rule(brokenBy: json, in: folder)
                    == "networks[0].private-key: network.pem: not encrypted, and a passphrase is given")
        }
    }

    @Test("A network has one key that signs and may have another, of which the private or the public half is named")
    func otherKey() throws {
        try withFolder { folder in
            let (active, other) = (try SigningKey.generate(), try SigningKey.generate())
            try write(active.pem, to: "active.pem", in: folder)
            try write(other.pem, to: "other.pem", in: folder)
            try write(other.publicKey.pem, to: "other.pub.pem", in: folder, mode: 0o644)
            try write(active.publicKey.pem, to: "active.pub.pem", in: folder, mode: 0o644)
            try write(try SigningKey.generate(.p192).publicKey.pem, to: "p192.pub.pem", in: folder, mode: 0o644)
            func json(_ other: String, _ active: String = #""private-key": "active.pem","#) -> String {
                #"{"networks": [{"ad-network-id": "com.example", \#(active) "other-key": {\#(other)}}]}"#
            }
            for half in [#""private-key": "other.pem""#, #""public-key": "other.pub.pem""#] {
                #expect(try rule(brokenBy: json(half), in: folder) == nil)
                let network = try #require(try KeyRing(folder: folder.path).networks.first)
                #expect(network.signingKey?.publicKey.pem == active.publicKey.pem)
                #expect(network.otherKey?.pem == other.publicKey.pem)
            }
            for (half, complaint) in [
                ("", "networks[0].other-key: must have private-key or public-key, one of them"),
                (
                    #""private-key": "other.pem", "public-key": "other.pub.pem""#,
                    "networks[0].other-key: must have private-key or public-key, one of them"
                ),
                (
                    #""private-key": "no.pem""#,
                    "networks[0].other-key.private-key: the file that it names can't be read"
                ),
                (#""public-key": "other.pem""#, "networks[0].other-key.public-key: other.pem: is a private key"),
                (
                    #""public-key": "other.pub.pem", "passphrase-file": "a""#,
                    "networks[0].other-key.passphrase-file: must stand with a private-key"
                ),
                (#""active": true"#, "networks[0].other-key.active: is not a member"),
                (#""public-key": "active.pub.pem""#, "other-key: must be another key than private-key"),
                (#""public-key": "p192.pub.pem""#, "other-key: must be on P-256"),
            ] {
                let rule = try rule(brokenBy: json(half), in: folder)
                #expect(rule?.hasPrefix(complaint) == true, "\(rule ?? "nothing")")
            }
            #expect(
                try rule(brokenBy: json(#""public-key": "other.pub.pem""#, ""), in: folder)
                    == "networks[0].other-key: must stand with a private-key")
        }
    }

    @Test(
        "A key, a passphrase or a PIN where the name of its file belongs is not shown; the member and the network are")
    func secretsInPlaceOfNames() throws {
        try withFolder { folder in
            let key = try SigningKey.generate()
            try write(key.pem, to: "network.pem", in: folder)
            let pem = key.pem.replacing("\n", with: "\\n")
            // In base64 a text may begin with a slash, so it looks like a path.
            let base64 = "/" + key.pem.split(separator: "\n").dropFirst().dropLast().joined()
            let isName = "must be the name of a file, not the key or the secret itself"
            let isMissing = "the file that it names can't be read: "
            let cases: [(members: String, member: String, complaint: String)] = [
                (#""private-key": "\#(pem)""#, "private-key", isName),
                (#""private-key": "\#(base64)""#, "private-key", isMissing),
                (#""private-key": "correct horse battery""#, "private-key", isMissing + "No such file or directory"),
                (#""private-key": "pkcs11 :object=a?pin-value=hunter2""#, "private-key", isMissing),
                (#""private-key": "network.pem\u0000hunter2""#, "private-key", isName),
                (#""private-key": "network.pem\nhunter2""#, "private-key", isName),
                (#""private-key": """#, "private-key", isName),
                (
                    #""private-key": "network.pem", "passphrase-file": "correct horse battery""#, "passphrase-file",
                    isMissing
                ),
                (
                    #""private-key": "network.pem", "other-key": {"private-key": "\#(base64)"}"#,
                    "other-key.private-key", isMissing
                ),
                (
                    #""private-key": "network.pem", "other-key": {"private-key": "a", "passphrase-file": "hunter2"}"#,
                    "other-key.passphrase-file", isMissing
                ),
                (
                    #""private-key": "network.pem", "other-key": {"public-key": "\#(pem)"}"#, "other-key.public-key",
                    isName
                ),
            ]
            for (members, member, complaint) in cases {
                let said = try #require(
                    try rule(
                        brokenBy: #"{"networks": [{"ad-network-id": "com.example", \#(members)}]}"#, in: folder))
                #expect(said.hasPrefix("networks[0].\(member): \(complaint)"), "\(said)")
                #expect(said.hasSuffix(" (network com.example)"), "\(said)")
                for secret in [String(base64.prefix(20)), "PRIVATE KEY", "horse", "hunter2"] {
                    #expect(!said.contains(secret), "\(said)")
                }
            }
            let postbackKey = #"{"postback-keys": [{"name": "a", "environment": "test", "public-key": "\#(base64)"}]}"#
            let said = try #require(try rule(brokenBy: postbackKey, in: folder))
            #expect(said.hasPrefix("postback-keys[0].public-key: " + isMissing), "\(said)")
            #expect(!said.contains(base64.prefix(20)))
        }
    }

    @Test("A wrong URI of a token is refused with the rule, and the PIN in it is not shown")
    func tokenURI() throws {
        try withFolder { folder in
            for uri in ["pkcs11:", "pkcs11:object=a?pin-value=98765", "pkcs11:object=a;pin-value=98765"] {
                let complaint = try rule(
                    brokenBy: #"{"networks": [{"ad-network-id": "com.example", "private-key": "\#(uri)"}]}"#, in: folder
                )
                #expect(complaint == "networks[0].private-key: \(TokenKeyURI.rule)")
            }
        }
    }

    @Test("Each file that the key ring names is noticed when it changes, also one that was missing")
    func noticed() throws {
        try withFolder { folder in
            let key = try SigningKey.generate()
            try write(key.pem, to: "network.pem", in: folder)
            let json = #"""
                {"networks": [{"ad-network-id": "com.example", "private-key": "network.pem",
                               "other-key": {"public-key": "other.pub.pem"}}],
                 "postback-keys": [{"name": "load", "environment": "test", "public-key": "test.pub.pem"}]}
                """#
            try write("{}", to: "keyring.json", in: folder)
            let ring = try KeyRingInForce { try KeyRing(folder: folder.path, noting: &$0) }
            let before = ring.current
            #expect(ring.reloading.reload(onlyIfChanged: true) == .unchanged)
            try write(json, to: "keyring.json", in: folder)
            for file in ["other.pub.pem", "test.pub.pem"] {
                guard case .refused(let reason) = ring.reloading.reload(onlyIfChanged: true) else {
                    Issue.record("a key ring without \(file) is in force")
                    return
                }
                #expect(reason.contains("the file that it names can't be read") && ring.reloading.refusal == reason)
                #expect(ring.current === before)
                try write(try SigningKey.generate().publicKey.pem, to: file, in: folder, mode: 0o644)
            }
            #expect(ring.reloading.reload(onlyIfChanged: true) == .replaced)
            #expect(ring.current.keyRing.networks.count == 1 && ring.reloading.refusal == nil)
            for file in ["network.pem", "other.pub.pem", "test.pub.pem"] {
                #expect(ring.reloading.reload(onlyIfChanged: true) == .unchanged)
                let key = try SigningKey.generate()
                try write(file == "network.pem" ? key.pem : key.publicKey.pem, to: file, in: folder)
                #expect(ring.reloading.reload(onlyIfChanged: true) == .replaced, "\(file)")
            }
        }
    }
}
