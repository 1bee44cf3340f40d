import Foundation
package import Testing

/// What `make test` hands to the tests that need a database or the built programs.
package enum TestEnvironment {
    /// A superuser's URL of a throw-away PostgreSQL cluster.
    package static let databaseURL = value("TEST_DATABASE_URL")
    /// The folder of the built programs.
    package static let programs = value("TEST_BIN_DIR")
    /// The script that starts, kills and destroys clusters.
    package static let clusterScript = value("TEST_POSTGRES_SCRIPT")
    /// The program that holds a server against its OpenAPI description.
    package static let schemathesis = value("TEST_SCHEMATHESIS")
    /// The Python that has the packages of `Tests/requirements.txt`.
    package static let python = value("TEST_PYTHON")
    /// The browser of the tests of the page.
    package static let chromium = value("TEST_CHROMIUM")
    /// The log of the throw-away cluster.
    package static let databaseLog = value("TEST_DATABASE_LOG")

    /// The URLs of the nodes of a throw-away Citus cluster, the coordinator's first; empty if Citus is not installed.
    package static let clusterURLs = value("TEST_CLUSTER_URLS")?.split(separator: "\n").map(String.init) ?? []

    /// Whether tests against a Citus cluster can run.
    package static var hasCluster: Bool { !clusterURLs.isEmpty }
    /// Why they can't.
    package static let clusterReason: Comment =
        "needs Citus, which is not installed for this PostgreSQL (docs/cluster.md)"

    /// Whether tests against a database can run.
    package static var hasDatabase: Bool { databaseURL != nil }
    /// Whether tests of the whole programs can run.
    package static var hasPrograms: Bool { databaseURL != nil && programs != nil && clusterScript != nil }
    /// Whether tests in a browser can run.
    package static var hasBrowser: Bool { hasPrograms && python != nil && chromium != nil }
    /// Why they can't.
    package static let reason: Comment = "needs what `make test` sets up: a PostgreSQL cluster and the built programs"

    /// The root of the checkout.
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path()

    /// The bytes of a file of the checkout.
    package static func file(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: root + path)))
    }

    /// The last statement of a file of SQL, without its semicolon: what stands behind the line that sets the path.
    package static func statement(_ path: String) throws -> String {
        let text = String(decoding: try file(path), as: UTF8.self)
        let path = try #require(text.range(of: "\nSET search_path = pg_catalog, pg_temp;\n"))
        return String(text[path.upperBound...].trimmingCharacters(in: .whitespacesAndNewlines).dropLast())
    }

    private static func value(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
