import Foundation
import TestSupport
import Testing

/// What a command of `PostbackServer` or `adsign` that has ended left behind.
struct ServerCommand: Sendable {
    /// The exit code.
    let code: Int32
    /// What it printed.
    let output: String
    /// What it wrote to standard error.
    let errors: String

    /// The lines of what it printed.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Runs a command of `adsign` to its end.
    static func adsign(_ arguments: [String]) async throws -> ServerCommand {
        try await run(arguments, of: "adsign")
    }

    /// Runs a command to its end, with these settings and nothing else of our environment.
    static func run(
        _ arguments: [String], _ environment: [String: String] = [:], input: String = "",
        of program: String = "PostbackServer"
    ) async throws -> ServerCommand {
        let programs = try #require(TestEnvironment.programs)
        let result = try await ChildProcess.run(
            "\(programs)/\(program)", arguments,
            environment: environment.merging(["PATH": "/usr/bin:/bin"]) { mine, _ in mine }, input: Data(input.utf8))
        return ServerCommand(
            code: result.code, output: String(decoding: result.output, as: UTF8.self),
            errors: String(decoding: result.errors, as: UTF8.self))
    }
}

extension Installation {
    /// Runs a command with the settings of the installation, and with these changes to them.
    ///
    /// Commands that change the schema have the role of its owner; after a migration the serving role gets its rights.
    func run(_ arguments: [String], _ changes: [String: String] = [:]) async throws -> ServerCommand {
        let command = try await ServerCommand.run(arguments, environment(of: arguments, changes))
        if arguments.first == "migrate", command.code == 0 { try await database.grantRights() }
        return command
    }

    /// The settings of a command, which has the role that it needs.
    func environment(of arguments: [String], _ changes: [String: String] = [:]) -> [String: String] {
        let isOwners = ["migrate", "distribute", "undistribute"].contains(arguments.first)
        let owner = isOwners ? ["DATABASE_URL": database.owner.url] : [:]
        return environment(owner.merging(changes) { _, changed in changed })
    }

    /// Runs a command that must succeed.
    ///
    /// - Returns: What it printed.
    @discardableResult
    func succeed(_ arguments: [String]) async throws -> String {
        let command = try await run(arguments)
        #expect(command.code == 0, "\(arguments): \(command.errors)")
        return command.output
    }

    /// Runs psql as the owner of the database.
    func psql(_ arguments: [String]) async throws -> ServerCommand {
        let result = try await ChildProcess.run(
            "/usr/bin/env", ["psql", database.url, "-XAtq", "-v", "ON_ERROR_STOP=1"] + arguments,
            environment: ProcessInfo.processInfo.environment)
        return ServerCommand(
            code: result.code, output: String(decoding: result.output, as: UTF8.self),
            errors: String(decoding: result.errors, as: UTF8.self))
    }

    /// Writes the lines of an archive into the folder of the key ring.
    ///
    /// - Returns: The path of the archive.
    func write(_ lines: some Sequence<[UInt8]>, to file: String) throws -> String {
        let path = folder + "/" + file
        try Data(lines.joined(separator: [UInt8(ascii: "\n")])).write(to: URL(filePath: path))
        return path
    }

    /// A key ring with these networks and apps, and with the test keys.
    static func keyRing(networks: [String], apps: [Int64]) -> String {
        """
        {
          "networks": [ \(networks.map { "{ \"ad-network-id\": \"\($0)\" }" }.joined(separator: ", ")) ],
          "developer-apps": [ \(apps.map(String.init).joined(separator: ", ")) ],
          "postback-keys": [
            { "name": "load-test", "environment": "test", "public-key": "test.pub.pem" },
            { "name": "load-test-p256", "environment": "test", "public-key": "test-p256.pub.pem" }
          ]
        }
        """
    }
}
