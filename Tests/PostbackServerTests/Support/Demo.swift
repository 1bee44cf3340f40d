import Foundation
import TestSupport
import Testing

/// The quarter of `make demo` on a smaller scale, in a database of its own.
struct Demo: Sendable {
    let database: TestDatabase
    /// What `scripts/demo-load.sh` keeps: the key ring `keys`, and files.
    let folder: String

    /// The database as the serving role that the script has made sees it.
    var databaseURL: String { database.as("attribution_serve").url }

    /// The settings of a server on free ports.
    var environment: [String: String] {
        [
            "HTTP_PORT": "0", "ADMIN_PORT": "0", "ADMIN_TOKEN": Installation.token, "DATABASE_URL": databaseURL,
            "KEYRING_PATH": folder + "/keys",
        ]
    }

    /// Runs a body with a demo that is gone afterwards.
    ///
    /// - Parameter installsADay: The mean number of installs and re-engagements a day.
    static func with<T>(installsADay: Int, _ body: (Demo) async throws -> T) async throws -> T {
        try await TestDatabase.with(migrated: false) { database in
            let folder = FileManager.default.temporaryDirectory.appending(path: "demo-\(UUID().uuidString)").path()
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let loading = try await ChildProcess.run(
                TestEnvironment.root + "scripts/demo-load.sh",
                [folder, try #require(TestEnvironment.programs), String(installsADay)],
                environment: ProcessInfo.processInfo.environment.merging(["DATABASE_URL": database.url]) { _, mine in
                    mine
                })
            try #require(loading.code == 0, "\(String(decoding: loading.output + loading.errors, as: UTF8.self))")
            return try await body(Demo(database: database, folder: folder))
        }
    }

    /// Runs a command of `PostbackServer` on the demo.
    func run(_ arguments: [String]) async throws -> ServerCommand {
        try await ServerCommand.run(arguments, environment)
    }
}
