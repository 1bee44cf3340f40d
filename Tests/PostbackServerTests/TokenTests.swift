import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("Tokens of the key ring")
    struct TokenTests {
        private static let statement = "SELECT count(*) FROM attribution.trail WHERE action ="

        private func add(_ installation: Installation, _ name: String, _ scopes: String...) async throws -> String {
            let options = scopes.flatMap { ["--scope", $0] }
            let text = try await installation.succeed(["token", "add", name] + options)
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        private func status(_ admin: PostbackClient, _ token: String) async throws -> Int {
            try await admin.request(.GET, "/v1/reports", headers: [("Authorization", "Bearer \(token)")]).status
        }

        @Test("The commands need no database, print a token once, and refuse what breaks a rule")
        func commands() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "tokens-\(UUID().uuidString)").path()
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            func run(_ arguments: String...) async throws -> ServerCommand {
                try await ServerCommand.run(["token"] + arguments, ["KEYRING_PATH": folder])
            }
            let added = try await run("add", "ann", "--scope", "read", "--scope", "load", "--days", "30")
            #expect(
                added.code == 0 && added.output.wholeMatch(of: /adatt_[A-Za-z0-9_-]{43}\n/) != nil, "\(added.errors)")
            #expect(added.errors.contains("with the scopes read load") && !added.errors.contains("adatt_"))
            _ = try await run("add", "ann", "--scope", "read")
            let third = try await run("add", "ann", "--scope", "read")
            #expect(third.code == 65 && third.errors.contains("ann has two valid tokens"), "\(third.errors)")
            #expect(third.errors.contains("PostbackServer token revoke ann --id "), "\(third.errors)")
            let listed = try await run("list")
            #expect(listed.lines.count == 3 && listed.lines[1].contains("read load"), "\(listed.output)")
            let file = try String(contentsOfFile: folder + "/tokens.json", encoding: .utf8)
            #expect(!file.contains(added.output.dropFirst(6).dropLast()))
            let which = try await run("revoke", "ann")
            #expect(which.code == 65 && which.errors.contains("say which by --id"), "\(which.errors)")
            let id = try #require(listed.lines[1].split(separator: " ").dropFirst().first)
            let revoked = try await run("revoke", "ann", "--id", String(id))
            #expect(revoked.code == 0 && revoked.output.contains("token ann \(id)"), "\(revoked.errors)")
            #expect(try await run("list").output.contains("revoked"))
            for arguments in [
                ["add", "Ann", "--scope", "read"], ["add", "bob"], ["add", "bob", "--scope", "write"],
                ["add", "bob", "--scope", "read", "--days", "0"], ["revoke", ""],
            ] {
                let refused = try await ServerCommand.run(["token"] + arguments, ["KEYRING_PATH": folder])
                #expect(refused.code == 64, "\(arguments): \(refused.errors)")
            }
            #expect(try await run("revoke", "nobody").code == 65)
        }

        @Test("A token that can't be printed is not added, whether the disk is full or nobody reads")
        func lostOutput() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "tokens-\(UUID().uuidString)").path()
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let program = try #require(TestEnvironment.programs) + "/PostbackServer"
            for (output, reason) in [("> /dev/full", "No space left on device"), ("| (exec <&-; sleep 1)", "nobody")] {
                // The second reader has closed its end before the program writes.
                let line = "(sleep 0.3; \"$0\" token add ann --scope read) \(output)"
                let result = try await ChildProcess.run(
                    "/bin/bash", ["-o", "pipefail", "-c", line, program],
                    environment: ["KEYRING_PATH": folder, "PATH": "/usr/bin:/bin"])
                let errors = String(decoding: result.errors, as: UTF8.self)
                #expect(result.code == 66, "\(output): \(errors)")
                #expect(
                    errors.contains("standard output: can't be written: \(reason)")
                        && errors.contains("no token was added"), "\(errors)")
                #expect(!FileManager.default.fileExists(atPath: folder + "/tokens.json"))
                #expect(!FileManager.default.fileExists(atPath: folder + "/tokens.json.part"))
            }
            let added = try await ServerCommand.run(
                ["token", "add", "ann", "--scope", "read"], ["KEYRING_PATH": folder])
            #expect(added.code == 0, "\(added.errors)")
        }

        @Test("The commands replace no symbolic link, and say with which folder to run them")
        func link() async throws {
            let base = FileManager.default.temporaryDirectory.appending(path: "tokens-\(UUID().uuidString)").path()
            let (real, mounted) = (base + "/real", base + "/mounted")
            for folder in [real, mounted] {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
            defer { try? FileManager.default.removeItem(atPath: base) }
            func run(_ arguments: String..., folder: String) async throws -> ServerCommand {
                try await ServerCommand.run(["token"] + arguments, ["KEYRING_PATH": folder])
            }
            #expect(try await run("add", "ann", "--scope", "read", folder: real).code == 0)
            let link = mounted + "/tokens.json"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real + "/tokens.json")
            let before = try String(contentsOfFile: real + "/tokens.json", encoding: .utf8)
            for arguments in [["revoke", "ann"], ["add", "bob", "--scope", "read"]] {
                let refused = try await ServerCommand.run(["token"] + arguments, ["KEYRING_PATH": mounted])
                #expect(refused.code == 66 && refused.output == "", "\(refused)")
                #expect(
                    refused.errors.contains("\(link): is a symbolic link to ")
                        && refused.errors.contains("run the command with --keyring-path "), "\(refused.errors)")
            }
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == real + "/tokens.json")
            #expect(try FileManager.default.contentsOfDirectory(atPath: mounted) == ["tokens.json"])
            #expect(try String(contentsOfFile: real + "/tokens.json", encoding: .utf8) == before)
            #expect(try await run("list", folder: mounted).output.contains("ann"))
            #expect(try await run("revoke", "ann", folder: real).code == 0)
            #expect(try await run("list", folder: mounted).output.contains("revoked"))
        }

        @Test(
            "A running server takes added and revoked tokens into force; a broken file leaves those before, and is logged",
            .installation)
        func reload() async throws {
            let installation = try Installation.current
            let first = try await add(installation, "ann", "read")
            let (server, client) = try await installation.start()
            let admin = try await client.admin(of: server)
            #expect(try await status(admin, first) == 200)
            let second = try await add(installation, "ann", "read")
            try await eventually("both are taken") { try await status(admin, second) == 200 ? true : nil }
            #expect(try await status(admin, first) == 200)
            let good = try String(contentsOfFile: installation.folder + "/tokens.json", encoding: .utf8)
            try installation.write("{\"tokens\": [{}]}", to: "tokens.json")
            try await eventually("the log says what is wrong") {
                server.lines.contains {
                    $0.contains("token file not replaced: the old one stays") && $0.contains("name: is missing")
                }
                    ? true : nil
            }
            for token in [first, second] { #expect(try await status(admin, token) == 200) }
            let start = try await installation.run(["serve", "--check-config"])
            #expect(start.code == 78 && start.errors.contains("tokens.json"), "\(start.errors)")
            try installation.write(good, to: "tokens.json")
            let id = try #require(good.firstMatch(of: /"sha256": "([0-9a-f]{8})/)).1
            try await installation.succeed(["token", "revoke", "ann", "--id", String(id)])
            try await eventually("the first is refused") { try await status(admin, first) == 401 ? true : nil }
            #expect(try await status(admin, second) == 200)
            try await eventually("the trail has it") {
                try await installation.database.value("\(Self.statement) 'token-revocation'") == "1" ? true : nil
            }
            #expect(try await installation.database.value("\(Self.statement) 'token-addition'") == "2")
            #expect(!server.lines.joined().contains(first) && !server.lines.joined().contains(second))
        }

        @Test("A session ends with its token, and a live stream of it too", .installation)
        func sessions() async throws {
            let installation = try Installation.current
            let token = try await add(installation, "ann", "read")
            let page = try await PageClient.start(["ADMIN_TOKEN": ""], on: installation)
            let answer = try await page.post("/sign-in", [("token", token)])
            #expect(answer.status == 303)
            page.cookie = answer.headers.first(name: "Set-Cookie").map { String($0.prefix { $0 != ";" }) }
            let screen = try await page.get("/")
            #expect(screen.status == 200 && screen.text.contains("token ann"))
            let client = page.client
            let headers = [("Cookie", page.cookie ?? "")]
            async let stream = client.request(.GET, "/live/events", headers: headers)
            try await installation.succeed(["token", "revoke", "ann"])
            #expect(try await stream.status == 200)
            #expect(try await page.get("/").status == 303)
            #expect(try await page.post("/sign-in", [("token", token)]).status == 401)
        }

        @Test("A token without the scope read does not open the page", .installation)
        func withoutRead() async throws {
            let installation = try Installation.current
            let token = try await add(installation, "bidder", "sign")
            let page = try await PageClient.start(on: installation)
            let answer = try await page.post("/sign-in", [("token", token)])
            #expect(answer.status == 403 && answer.text.contains("token bidder has sign"), "\(answer.text)")
            #expect(answer.headers["Set-Cookie"].isEmpty)
        }
    }
}
