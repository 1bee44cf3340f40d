import TestSupport
import Testing

/// Gives each test, and each case of one, an installation of its own, and a running server if it asks for one.
///
/// All is gone when the test ends.
struct ServerFixture: TestTrait, SuiteTrait, TestScoping {
    /// What a server needs beside an installation.
    struct Server {
        let changes: [String: String]
        let openFiles: Int?
    }

    let migrated: Bool
    let lanes: Int?
    /// Nil if no server is started.
    let server: Server?

    /// Every test of a suite, whatever suite it is in.
    var isRecursive: Bool { true }

    /// Makes the installation for one test.
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Installation.with(migrated: migrated, lanes: lanes) { installation in
            try await Installation.$provided.withValue(installation) {
                guard let server else { return try await function() }
                try await installation.withServer(server.changes, openFiles: server.openFiles) { process, client in
                    try await RunningServer.$provided.withValue(RunningServer(process: process, client: client)) {
                        try await function()
                    }
                }
            }
        }
    }
}

extension Installation {
    @TaskLocal fileprivate static var provided: Installation?

    /// The installation of the trait `.installation` or `.server`.
    static var current: Installation {
        get throws { try #require(provided, "the test needs the trait .installation or .server") }
    }
}

/// The server of a test's fixture.
struct RunningServer: Sendable {
    fileprivate let process: ServerProcess
    fileprivate let client: PostbackClient

    @TaskLocal fileprivate static var provided: RunningServer?

    /// The installation of the trait `.server`, its server, and a client of the public listener.
    static var current: (installation: Installation, server: ServerProcess, client: PostbackClient) {
        get throws {
            let running = try #require(provided, "the test needs the trait .server")
            return (try Installation.current, running.process, running.client)
        }
    }
}

extension Trait where Self == ServerFixture {
    /// What a server needs, in a migrated database.
    static var installation: Self { .installation() }

    /// What a server needs: a database, a key ring.
    ///
    /// - Parameters:
    ///   - lanes: How many lanes the database has; nil if it is as `migrate` makes it.
    ///   - migrated: Whether the database is more than an empty one.
    static func installation(lanes: Int? = nil, migrated: Bool = true) -> Self {
        Self(migrated: migrated, lanes: lanes, server: nil)
    }

    /// A running server.
    static var server: Self { .server() }

    /// A running server with these settings beside those of every test.
    ///
    /// - Parameters:
    ///   - lanes: How many lanes the database has; nil if it is as `migrate` makes it.
    ///   - migrated: Whether the database is more than an empty one.
    ///   - openFiles: How many files it may have open; nil for the usual limit.
    static func server(
        _ changes: [String: String] = [:], lanes: Int? = nil, migrated: Bool = true, openFiles: Int? = nil
    ) -> Self {
        Self(migrated: migrated, lanes: lanes, server: .init(changes: changes, openFiles: openFiles))
    }
}
