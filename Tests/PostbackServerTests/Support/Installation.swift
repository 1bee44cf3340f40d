import AdAttribution
import AsyncHTTPClient
import Foundation
import TestSupport

/// A key ring in a folder and a database: what a server needs.
struct Installation: Sendable {
    let database: TestDatabase
    let keys: TestKeys
    let folder: String
    /// The network's own key, whose private half is in the ring.
    let networkKey: SigningKey

    static let token = "a-token-for-tests-of-32-characters-or-more"
    /// An impression that the network's key signs.
    static let impression = """
        {"version":"2.0","ad-network-id":"example123.skadnetwork","campaign-id":42,"itunes-item-id":525463029,
         "source-app-id":1234567891}
        """
    /// The headers of a request to the admin listener.
    static let authorization = [("Authorization", "Bearer \(token)")]

    /// Runs a body with an installation that is gone afterwards.
    static func with<T>(
        migrated: Bool = true, lanes: Int? = nil, on cluster: String? = nil, _ body: (Installation) async throws -> T
    ) async throws -> T {
        try await TestDatabase.with(migrated: migrated, lanes: lanes, on: cluster) { database in
            let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)").path()
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let installation = Installation(
                database: database, keys: try TestKeys(), folder: folder, networkKey: try SigningKey.generate())
            try installation.write(installation.networkKey.pem, to: "network.pem", mode: 0o600)
            try installation.write(installation.keys.postbackKey.publicKey.pem, to: "test.pub.pem")
            try installation.write(installation.keys.postbackKeyP256.publicKey.pem, to: "test-p256.pub.pem")
            try installation.write(installation.keys.developmentKey.publicKey.pem, to: "development.pub.pem")
            try installation.write(installation.keys.developmentKeyP256.publicKey.pem, to: "development-p256.pub.pem")
            try installation.write(Self.keyRing, to: "keyring.json")
            return try await body(installation)
        }
    }

    static let keyRing = """
        {
          "networks": [
            { "ad-network-id": "com.example" },
            { "ad-network-id": "example123.skadnetwork", "private-key": "network.pem" }
          ],
          "developer-apps": [],
          "postback-keys": [
            { "name": "load-test", "environment": "test", "public-key": "test.pub.pem" },
            { "name": "load-test-p256", "environment": "test", "public-key": "test-p256.pub.pem" },
            { "name": "development", "environment": "development", "public-key": "development.pub.pem" },
            { "name": "development-p256", "environment": "development", "public-key": "development-p256.pub.pem" }
          ]
        }
        """

    /// Writes a file of the key ring's folder.
    func write(_ text: String, to file: String, mode: Int = 0o644) throws {
        let path = folder + "/" + file
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// The settings of a server on free ports, which never asks Apple for anything.
    func environment(_ changes: [String: String] = [:]) -> [String: String] {
        [
            "HTTP_PORT": "0", "ADMIN_PORT": "0", "ADMIN_TOKEN": Self.token, "DATABASE_URL": database.serving.url,
            "KEYRING_PATH": folder, "APPLE_ADS": "off",
        ].merging(changes) { _, changed in changed }
    }

    /// Starts a server, which is killed when the test ends if it has not ended by then; and a client of it.
    func start(
        _ changes: [String: String] = [:], openFiles: Int? = nil
    ) async throws -> (server: ServerProcess, client: PostbackClient) {
        let server = try ServerProcess(environment: environment(changes), openFiles: openFiles)
        try Teardown.add { try await server.kill() }
        let client = PostbackClient.client(port: try await server.port(of: "postbacks"))
        try Teardown.add { try await client.http.shutdown() }
        return (server, client)
    }

    /// Runs a body with a server, which is killed afterwards if it has not ended by then.
    func withServer<T>(
        _ changes: [String: String] = [:], openFiles: Int? = nil,
        _ body: (ServerProcess, PostbackClient) async throws -> T
    ) async throws -> T {
        let server = try ServerProcess(environment: environment(changes), openFiles: openFiles)
        do {
            let port = try await server.port(of: "postbacks")
            let value = try await PostbackClient.with(port: port) { try await body(server, $0) }
            try await server.kill()
            return value
        } catch {
            try? await server.kill()
            throw error
        }
    }
}
