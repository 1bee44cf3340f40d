import AdAttribution
import AppStoreData
import Foundation
import LocalFiles
import TestSupport
import Testing

@testable import PostbackIngest

@Suite("The App Store in a key ring") struct AppStoreKeyRingTests {
    private let store: TestAppStore

    init() throws {
        store = try TestAppStore()
    }

    /// A folder of its own with good files, gone when the body ends.
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(store.rootPEM, to: "root.pem", in: folder, mode: 0o644)
        try write(TestAppStore.secret + "\n", to: "app.secret", in: folder)
        try write(String(repeating: "k", count: 32), to: "account.key", in: folder)
        try write(SigningKey.generate().pem, to: "api.p8", in: folder)
        try body(folder)
    }

    private func write(_ text: String, to file: String, in folder: URL, mode: Int = 0o600) throws {
        let path = folder.appending(path: file)
        try Data(text.utf8).write(to: path, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path.path)
    }

    private func read(_ member: String, in folder: URL) throws(KeyRingError) -> KeyRingFolder {
        do {
            try write("{\"app-store\": \(member)}", to: "keyring.json", in: folder)
        } catch {
            Issue.record(error)
        }
        var files = FileStamps()
        return try KeyRingFolder(folder.path, noting: &files)
    }

    private static let app = #""apps": [{"bundle-id": "com.example.game"}]"#
    private static let api = """
        {"bundle-id": "com.example.game", "issuer-id": "57246542-96fe", "key-id": "2X9R4HXF34",
         "private-key": "api.p8"}
        """
    private static let apiWithPassphrase = api.replacing(
        #""api.p8""#, with: #""api.p8", "passphrase-file": "hunter2""#)

    @Test("Apps, secrets, roots, the key of accounts and keys of the API are read")
    func complete() throws {
        try withFolder { folder in
            let ring = try read(
                """
                {"apps": [{"bundle-id": "com.example.game", "app-id": 1234, "shared-secret-file": "app.secret"},
                          {"bundle-id": "com.example.other"}],
                 "test-roots": ["root.pem"], "account-key-file": "account.key", "api": [\(Self.api)]}
                """, in: folder)
            let trust = try #require(ring.store)
            #expect(trust.apps.keys.sorted() == ["com.example.game", "com.example.other"])
            #expect(trust.apps["com.example.game"]?.appID == 1234)
            #expect(trust.takes(secret: Array(TestAppStore.secret.utf8), of: "com.example.game"))
            #expect(!trust.takes(secret: Array(TestAppStore.secret.utf8), of: "com.example.other"))
            #expect(trust.testRoots.map(\.sha256) == [store.signer.root.sha256] && trust.accountKey != nil)
            #expect(ring.storeAPI.map(\.bundleID) == ["com.example.game"])
            #expect(ring.storeAPI.map(\.keyID) == ["2X9R4HXF34"])
            let verifier = SignedDataVerifier(trust: trust)
            #expect(try StoreNotification(body: store.v2(), by: verifier, now: 4_000_000_000_000).type == "SUBSCRIBED")
        }
    }

    @Test("Without the member nothing is taken")
    func without() throws {
        try withFolder { folder in
            try write("{}", to: "keyring.json", in: folder)
            let ring = try KeyRingInForce.folder { try KeyRingFolder(folder.path, noting: &$0) }
            #expect(ring.current.store == nil && ring.current.storeAPI.isEmpty)
            try write("{\"app-store\": {\(Self.app)}}", to: "keyring.json", in: folder)
            #expect(ring.reloading.reload(onlyIfChanged: true) == .replaced)
            #expect(ring.current.store?.trust.apps.count == 1)
        }
    }

    /// What may stand in the member, and what is said of it.
    private static let mistakes: [(String, String)] = [
        (#"{"apps": []}"#, "app-store.apps: must name an app"),
        (#"{"app": []}"#, "app-store.app: is not a member that is known here"),
        (#"{"test-roots": []}"#, "app-store.apps: is missing"),
        (
            #"{"apps": [{"bundle-id": "a b"}]}"#,
            "app-store.apps[0].bundle-id: must be 1 to 155 of A–Z a–z 0–9 . -"
        ),
        (
            #"{"apps": [{"bundle-id": "a"}, {"bundle-id": "a"}]}"#,
            "app-store.apps[1].bundle-id: each app must stand once"
        ),
        (
            #"{"apps": [{"bundle-id": "a", "app-id": -1}]}"#,
            "app-store.apps[0].app-id: must be an integer from 0 to 9223372036854775807"
        ),
        (
            #"{"apps": [{"bundle-id": "a", "shared-secret-file": "none"}]}"#,
            "app-store.apps[0].shared-secret-file: the file that it names can't be read: No such file or directory "
                + "(app a)"
        ),
        (
            #"{"apps": [{"bundle-id": "a", "shared-secret-file": "open"}]}"#,
            "app-store.apps[0].shared-secret-file: open must not be open to others"
        ),
        (
            #"{"apps": [{"bundle-id": "a", "shared-secret-file": "short"}]}"#,
            "app-store.apps[0].shared-secret-file: short must have one line of 16 to 1024 characters of ASCII"
        ),
        ("{\(app), \"test-roots\": [\"short\"]}", "app-store.test-roots[0]: short: not one X.509 certificate"),
        ("{\(app), \"account-key-file\": \"short\"}", "app-store.account-key-file: short must have one line of 32"),
        (
            "{\(app), \"api\": [\(api.replacing("com.example.game", with: "b"))]}",
            "app-store.api[0].bundle-id: must be that of one of the apps"
        ),
        ("{\(app), \"api\": [\(api), \(api)]}", "app-store.api[1].bundle-id: each app must stand once"),
        (
            "{\(app), \"api\": [\(api.replacing("2X9R", with: "2X 9R"))]}",
            "app-store.api[0].key-id: must be 1 to 64 of A–Z a–z 0–9 -"
        ),
        (
            "{\(app), \"api\": [\(api.replacing("api.p8", with: "open"))]}",
            "app-store.api[0].private-key: open must not be open to others"
        ),
        (
            #"{"apps": [{"bundle-id": "a", "shared-secret-file": "hunter2hunter2hunter2"}]}"#,
            "app-store.apps[0].shared-secret-file: the file that it names can't be read"
        ),
        (
            "{\(app), \"account-key-file\": \"hunter2\"}",
            "app-store.account-key-file: the file that it names can't be read"
        ),
        (
            "{\(app), \"test-roots\": [\"-----BEGIN CERTIFICATE-----hunter2\"]}",
            "app-store.test-roots[0]: must be the name of a file"
        ),
        (
            "{\(app), \"api\": [\(api.replacing("api.p8", with: "-----BEGIN PRIVATE KEY-----\\nhunter2"))]}",
            "app-store.api[0].private-key: must be the name of a file, not the key or the secret itself "
                + "(app com.example.game)"
        ),
        (
            "{\(app), \"api\": [\(apiWithPassphrase)]}",
            "app-store.api[0].passphrase-file: the file that it names can't be read"
        ),
    ]

    @Test("What is wrong is refused with its member and the rule", arguments: mistakes)
    func refused(member: String, message: String) throws {
        try withFolder { folder in
            try write("hunter2\n", to: "short", in: folder)
            try write("hunter2-hunter2-hunter2", to: "open", in: folder, mode: 0o644)
            let error = #expect(throws: KeyRingError.self) { _ = try read(member, in: folder) }
            let text = error.map { "\($0.member ?? ""): \($0.rule)" } ?? ""
            #expect(text.hasPrefix(message), "\(text)")
            #expect(!text.contains("hunter2"))
        }
    }
}
