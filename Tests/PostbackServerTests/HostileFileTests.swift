import AdAttribution
import Foundation
import PostbackSimulation
import TestSupport
import Testing

extension ServerTests {
    @Suite("Files that somebody else may have made")
    struct HostileFileTests {
        /// Runs a body with an installation that has counted postbacks, and an empty folder.
        private func events(_ count: Int = 20) async throws -> (Installation, folder: String) {
            let installation = try Installation.current
            let folder = installation.folder + "/events"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let bodies = try installation.keys.simulate(seed: 28, count: count)
            let archive = try installation.write(bodies, to: "archive.ndjson")
            try await installation.succeed(["import", archive])
            return (installation, folder)
        }

        /// Runs a command line of a shell in which `"$0"` is the program.
        private func shell(
            _ line: String, _ environment: [String: String], folder: String? = nil
        ) async throws -> ServerCommand {
            let program = try #require(TestEnvironment.programs) + "/PostbackServer"
            let result = try await ChildProcess.run(
                "/bin/bash", ["-o", "pipefail", "-c", line, program],
                environment: environment.merging(["PATH": "/usr/bin:/bin"]) { mine, _ in mine }, folder: folder)
            return ServerCommand(
                code: result.code, output: String(decoding: result.output, as: UTF8.self),
                errors: String(decoding: result.errors, as: UTF8.self))
        }

        @Test(
            "A file with settings, a key ring or a key that is a named pipe, or that all may write, stops the start",
            .installation)
        func start() async throws {
            let installation = try Installation.current
            func refused(
                _ text: String, _ changes: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
            ) async throws {
                let server = try ServerProcess(
                    environment: installation.environment(changes), folder: installation.folder)
                #expect(try await server.exitCode() == 78, sourceLocation: sourceLocation)
                let line = try await eventually("it says why") {
                    server.lines.first { $0.hasPrefix("PostbackServer: ") }
                }
                #expect(line.contains(text), "\(line)", sourceLocation: sourceLocation)
            }
            func pipe(_ file: String) throws {
                try? FileManager.default.removeItem(atPath: installation.folder + "/" + file)
                try #require(mkfifo(installation.folder + "/" + file, 0o600) == 0)
            }
            func remove(_ file: String) throws {
                try FileManager.default.removeItem(atPath: installation.folder + "/" + file)
            }
            try pipe(".env")
            try await refused(".env: must be a file, and is a named pipe")
            try remove(".env")
            try installation.write("HTTP_HOST=127.0.0.2\n", to: ".env", mode: 0o666)
            try await refused(".env: may be written by everybody on this machine; run chmod o-w")
            try remove(".env")
            let config = ["CONFIG_FILE": installation.folder + "/settings.json"]
            try pipe("settings.json")
            try await refused("settings.json must be a file, and is a named pipe", config)
            try remove("settings.json")
            try installation.write("{}", to: "settings.json", mode: 0o606)
            try await refused("CONFIG_FILE: \(installation.folder)/settings.json may be written by everybody", config)
            try pipe("network.pem")
            try await refused("network.pem must be a file, and is a named pipe")
            try installation.write(installation.networkKey.pem, to: "other.pem", mode: 0o600)
            try remove("network.pem")
            try FileManager.default.moveItem(
                atPath: installation.folder + "/other.pem", toPath: installation.folder + "/network.pem")
            try installation.write(Installation.keyRing, to: "keyring.json", mode: 0o666)
            try await refused("keyring.json: may be written by everybody on this machine; run chmod o-w")
        }

        @Test(
            "An export refuses links in its folder by name, and writes through none; the folder itself may be a link",
            .installation)
        func exportLinks() async throws {
            let (installation, folder) = try await events()
            let mine = installation.folder + "/mine"
            let names = ["cursor.json", "cursor.json.lock", "cursor.json.part", "events-000000001.ndjson.part"]
            for target in [mine, installation.folder + "/new"] {
                for name in names {
                    try installation.write("mine", to: "mine")
                    let link = folder + "/" + name
                    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
                    for arguments in [[folder], ["--cursor", folder + "/cursor.json", "-"]] {
                        if arguments.count == 3, name.hasPrefix("events") { continue }
                        let export = try await installation.run(["export"] + arguments)
                        // A part that no cursor names is removed, as every part of a killed run: the link, not its target.
                        guard !name.hasPrefix("events") else {
                            #expect(export.code == 0, "\(export.errors)")
                            continue
                        }
                        #expect(export.code == 66, "\(name): \(export.errors)")
                        #expect(export.errors.contains("\(link): is a symbolic link"), "\(export.errors)")
                    }
                    #expect(try String(contentsOfFile: mine, encoding: .utf8) == "mine", "\(name)")
                    #expect(!FileManager.default.fileExists(atPath: installation.folder + "/new"), "\(name)")
                    for left in try EventFiles.names(in: folder) {
                        try FileManager.default.removeItem(atPath: folder + "/" + left)
                    }
                }
            }
            let alias = installation.folder + "/alias"
            try FileManager.default.createSymbolicLink(atPath: alias, withDestinationPath: folder)
            let export = try await installation.run(["export", alias])
            #expect(export.code == 0, "\(export.errors)")
            #expect(try EventFiles.finished(in: folder) == ["events-000000001.ndjson"])
            // A part that the cursor names gets its name only if it is a file.
            let segment = folder + "/events-000000001.ndjson"
            try FileManager.default.removeItem(atPath: segment)
            try FileManager.default.createSymbolicLink(atPath: segment + ".part", withDestinationPath: mine)
            let part = try await installation.run(["export", folder])
            #expect(part.code == 66 && part.errors.contains("\(segment).part: is a symbolic link"), "\(part.errors)")
            #expect(!FileManager.default.fileExists(atPath: segment))
        }

        @Test("An archive that is a link, or whose checksum is one, does not let a day be dropped", .installation)
        func archiveLinks() async throws {
            let (installation, folder) = try await events()
            try await installation.database.moveToday(back: 3)
            try await installation.succeed(["fold"])
            let days = try await installation.database.value(
                "SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date::text")
            let arguments = ["archive", "--before", try #require(days), folder]
            let day = try #require(
                try await installation.database.value(
                    "SELECT min(attribution.day_of_writing(position))::text FROM attribution.postback_log"))
            let file = folder + "/bodies-\(day).ndjson"
            let elsewhere = installation.folder + "/elsewhere"
            for name in [file, file + ".part", file + ".sha256", file + ".sha256.part"] {
                try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: elsewhere)
                let archive = try await installation.run(arguments)
                #expect(archive.code == 66, "\(name): \(archive.errors)")
                #expect(archive.errors.contains("\(name): is a symbolic link"), "\(archive.errors)")
                #expect(!FileManager.default.fileExists(atPath: elsewhere))
                try FileManager.default.removeItem(atPath: name)
            }
            #expect(
                try await installation.database.value("SELECT count(*) > 0 FROM attribution.postback_body")
                    == "true")
            try await installation.succeed(arguments)
            #expect(FileManager.default.fileExists(atPath: file + ".sha256"))
        }

        @Test(
            "A filter gets PATH, HOME, LANG, TMPDIR and what --filter-env names, and no other variable", .installation)
        func filterEnvironment() async throws {
            let (installation, folder) = try await events()
            let seen = installation.folder + "/seen"
            let secrets = [
                "PGPASSWORD": "hunter2", "REPORTS_DATABASE_URL": installation.database.serving.url,
                "PGOPTIONS": "-c application_name=secret", "GNUPGHOME": "/keys", "LANG": "C.UTF-8",
                "HOME": "/home/me",
                "TMPDIR": "/tmp", "OTHER": "x",
            ]
            let filter = ["--filter", "env > '\(seen)'; cat"]
            func names() throws -> Set<String> {
                let lines = try String(contentsOfFile: seen, encoding: .utf8).split(separator: "\n")
                // What the shell sets itself.
                return Set(lines.map { String($0.prefix { $0 != "=" }) }).subtracting(["PWD", "_", "SHLVL", "OLDPWD"])
            }
            let export = try await installation.run(["export"] + filter + [folder], secrets)
            #expect(export.code == 0, "\(export.errors)")
            #expect(try names() == ["PATH", "HOME", "LANG", "TMPDIR"])
            try FileManager.default.removeItem(atPath: folder)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let named = ["--filter-env", "GNUPGHOME", "--filter-env", "OTHER"]
            let more = try await installation.run(["export"] + filter + named + [folder], secrets)
            #expect(more.code == 0, "\(more.errors)")
            #expect(try names() == ["PATH", "HOME", "LANG", "TMPDIR", "GNUPGHOME", "OTHER"])
            let unset = try await installation.run(["export"] + filter + ["--filter-env", "GNUPGHOM", folder], secrets)
            #expect(unset.code == 64 && unset.errors.contains("GNUPGHOM: there is no such"), "\(unset.errors)")
            let alone = try await installation.run(["export"] + named + [folder], secrets)
            #expect(alone.code == 64 && alone.errors.contains("goes with a filter"), "\(alone.errors)")

            try await installation.database.moveToday(back: 3)
            try await installation.succeed(["fold"])
            let today = try await installation.database.value(
                "SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date::text")
            let archive = try await installation.run(
                ["archive", "--before", try #require(today), "--unfilter", "env >> '\(seen)'; cat"] + filter + named
                    + [folder], secrets)
            #expect(archive.code == 0, "\(archive.errors)")
            #expect(try names() == ["PATH", "HOME", "LANG", "TMPDIR", "GNUPGHOME", "OTHER"])
        }

        @Test(
            "Escape sequences in names of files and in arguments do not reach the terminal, and make no second line",
            .installation)
        func escapeSequences() async throws {
            let name = "a\u{1B}[2J\u{9B}31m\u{202E}b\nPostbackServer: forged"
            let shown = #"a\u001b[2J\u009b31m\u202eb\nPostbackServer: forged"#
            let installation = try Installation.current
            let path = installation.folder + "/" + name
            for arguments in [
                ["import", path], ["mapping", "check", path], ["scheme", "check", path],
                ["archive", "--restore", path], ["archive", "--before", "2026-01-01", path], ["export", path],
                ["serve", "--keyring-path", path], ["serve", "--admin-socket", "/nowhere/" + name],
                ["export", "--filter", "cat", "--\(name)", path], [name], ["report", "--format", name],
            ] {
                let result = try await installation.run(arguments)
                #expect(result.code != 0)
                #expect(result.errors.contains(shown.prefix(26)), "\(arguments): \(result.errors)")
                let wrong = (result.output + result.errors).unicodeScalars.filter {
                    ["\u{1B}", "\u{9B}", "\u{202E}"].contains($0)
                }
                #expect(wrong.isEmpty, "\(arguments)")
            }
            // What can't be the name of a file of a key is not shown at all.
            let files = [
                "--tls-certificate-path", path, "--tls-private-key-path", installation.folder + "/network.pem",
            ]
            let certificate = try await installation.run(["serve"] + files)
            #expect(certificate.code == 78)
            #expect(
                certificate.errors.contains("TLS: TLS_CERTIFICATE_PATH: must be the name of a file")
                    && !certificate.errors.contains("forged"), "\(certificate.errors)")
            // Names of files stay on their line.
            for arguments in [["import", path], ["scheme", "check", path], ["export", path]] {
                let result = try await installation.run(arguments)
                #expect(result.errors.contains(shown), "\(result.errors)")
                #expect(result.errors.split(separator: "\n").count { $0.hasPrefix("PostbackServer: ") } == 1)
            }
            // Lines that were refused, and a scheme that is good.
            try installation.write("{}\n", to: name)
            let refused = try await installation.run(["import", path])
            #expect(refused.code == 65 && refused.errors.contains("\(shown):1: "), "\(refused.errors)")
            let scheme = try TestEnvironment.file("examples/scheme.json")
            try installation.write(String(decoding: scheme, as: UTF8.self), to: name)
            let good = try await installation.run(["scheme", "check", path])
            #expect(good.code == 0 && good.output.contains("\(shown): good: "), "\(good.output) \(good.errors)")
        }

        @Test(
            "A reader that has enough ends an export quietly with 0, and the cursor stays before what it did not get",
            .installation)
        func closedOutput() async throws {
            let (installation, folder) = try await events(400)
            let environment = installation.environment()
            let head = try await shell("\"$0\" export - | head -n 1", environment)
            #expect(head.code == 0 && head.errors == "", "\(head.errors)")
            #expect(head.lines.count == 1)
            let cursor = folder + "/cursor.json"
            let kept = try await shell("\"$0\" export --cursor '\(cursor)' - | head -n 1", environment)
            #expect(kept.code == 0 && kept.errors == "", "\(kept.errors)")
            let all = try await installation.run(["export", "--cursor", cursor, "-"])
            #expect(all.code == 0, "\(all.errors)")
            #expect(try EventFiles.events(all.output.utf8) == (try await installation.database.exportedEvents()))
        }

        @Test(
            "Output that can't be written is no success", .installation,
            arguments: ["report", "report campaign_daily", "scheme list"])
        func fullDisk(_ command: String) async throws {
            let (installation, _) = try await events()
            if command == "scheme list" {
                try await installation.succeed(["scheme", "load", TestEnvironment.root + "examples/scheme.json"])
            }
            let full = try await shell("\"$0\" \(command) > /dev/full", installation.environment())
            #expect(full.code == 66, "\(full.errors)")
            #expect(full.errors.contains("standard output: can't be written: No space left"), "\(full.errors)")
        }
    }
}
