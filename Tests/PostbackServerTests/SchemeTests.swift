import Foundation
import TestSupport
import Testing

extension ServerTests {
    @Suite("PostbackServer scheme")
    struct SchemeTests {
        private let database = TestDatabase.current

        private func run(
            _ arguments: [String], _ environment: [String: String] = [:], input: String = ""
        ) async throws -> (code: Int32, output: String, errors: [String]) {
            let result = try await ServerCommand.run(["scheme"] + arguments, environment, input: input)
            return (result.code, result.output, result.errors.split(separator: "\n").map(String.init))
        }

        private static let example = TestEnvironment.root + "examples/scheme.json"
        private static let bits = TestEnvironment.root + "examples/scheme-bits.json"

        /// Runs a body with files of these contents, by their numbers.
        private func withFiles<Value>(_ texts: [String], _ body: ([String]) async throws -> Value) async throws -> Value
        {
            let folder = FileManager.default.temporaryDirectory.appending(path: "schemes-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let paths = try texts.enumerated().map { index, text in
                let file = folder.appending(path: "\(index).json")
                try Data(text.utf8).write(to: file)
                return file.path()
            }
            return try await body(paths)
        }

        /// Runs a command with files of these contents behind its arguments.
        private func run(
            _ arguments: [String], files texts: [String], _ environment: [String: String] = [:]
        ) async throws -> (code: Int32, output: String, errors: [String]) {
            try await withFiles(texts) { try await run(arguments + $0, environment) }
        }

        @Test("check needs no database, and lists values without a meaning")
        func check() async throws {
            let result = try await run(["check", Self.example, Self.bits])
            #expect(result.code == 0)
            #expect(
                result.output == """
                    \(Self.example): good: app 525463029, 2026-Q4 revenue, valid from 2026-10-01T00:00:00Z on
                    \(Self.bits): good: app 10738027756, revenue by bits, valid from 2026-10-01T00:00:00Z to 2027-01-01T00:00:00Z

                    """)
            #expect(
                result.errors == [
                    "\(Self.example): notice: unmapped fine values: 7-63",
                    "\(Self.example): notice: unmapped coarse values of window 2: low, medium",
                    "\(Self.example): notice: coarse values of window 0 with unknown revenue: medium",
                    "\(Self.bits): notice: unmapped fine values: 10-15, 26-31, 42-47, 58-63",
                ])
        }

        @Test(
            "check refuses a wrong file with file, line, field and rule, and files that contradict each other, with 65")
        func refused() async throws {
            let wrong = "{ \"app-id\": 1, \"name\": \"a\",\n\"valid-from\": \"now\", \"fin\": [] }"
            try await withFiles([wrong]) { paths in
                let result = try await run(["check", Self.example] + paths)
                #expect(result.code == 65 && result.output.isEmpty)
                #expect(
                    result.errors == [
                        "\(paths[0]):2: valid-from: must be a time in UTC such as 2026-10-01T00:00:00Z, not \"now\"",
                        "\(paths[0]):2: fin: is not a member that is known here",
                        "PostbackServer: a file was refused; nothing was written",
                    ])
            }
            func scheme(_ from: String, _ to: String, _ name: String = "a") -> String {
                "{\"app-id\": 1, \"name\": \"\(name)\", \"valid-from\": \"\(from)T00:00:00Z\", \"valid-to\": \"\(to)T00:00:00Z\"}"
            }
            let overlapping = [scheme("2026-01-01", "2026-03-01"), scheme("2026-02-01", "2026-04-01")]
            try await withFiles(overlapping) { paths in
                let result = try await run(["check"] + paths)
                #expect(result.code == 65)
                #expect(result.errors.first?.contains("overlaps that of the scheme from 2026-01-01T00:00:00Z") == true)
            }
            let twice = [scheme("2026-01-01", "2026-03-01"), scheme("2026-01-01", "2026-03-01", "b")]
            #expect(try await run(["check"], files: twice).code == 65)
            let missing = try await run(["check", "/nowhere.json"])
            #expect(missing.code == 66 && missing.errors == ["PostbackServer: /nowhere.json: can't be read"])
            #expect(try await run(["chekc"]).code == 64)
            #expect(try await run(["check"]).code == 64)
        }

        @Test("import prints a scheme that check accepts, and tells what was left out; export writes it back")
        func converted() async throws {
            let fixture = TestEnvironment.root + "Tests/ConversionSchemesTests/Fixtures/branch.json"
            let imported = try await run(
                ["import", "--from", "branch", "--currency", "USD", "--valid-from", "2026-10-01", fixture])
            #expect(imported.code == 0)
            #expect(
                imported.errors == [
                    "note: update: left out: a scheme has no place for it",
                    "note: ascending-only: left out: a scheme has no place for it",
                ])
            #expect(imported.output.contains("\"name\": \"imported from branch\""))
            try await withFiles([imported.output]) { paths in
                #expect(try await run(["check"] + paths).code == 0)
                let exported = try await run(["export", "--to", "branch"] + paths)
                #expect(exported.code == 0 && exported.errors.allSatisfy { $0.hasPrefix("note: ") })
                let again = try await run(
                    ["import", "--from", "branch", "--currency", "USD", "--valid-from", "2026-10-01", "-"],
                    input: exported.output)
                #expect(again.output == imported.output)
            }
            let wrong = try await run(["import", "--from", "branch", "--valid-from", "2026-10-01", fixture])
            #expect(wrong.code == 65)
            #expect(wrong.errors.first == "\(fixture):1: currency: is missing, although a value has revenue")
            for arguments in [
                ["--from", "google", "--valid-from", "2026-10-01"], ["--from", "meta"],
                ["--from", "meta", "--valid-from", "2026-10-32"],
                ["--from", "meta", "--valid-from", "2026-10-01", "--currency", "usd"],
                ["--from", "meta", "--valid-from", "2026-10-01", "--app-id", "-1"],
            ] {
                #expect(try await run(["import"] + arguments + [fixture]).code == 64, "\(arguments)")
            }
        }

        @Test("load stores all files or none; list and show tell what is stored", .database)
        func stored() async throws {
            let environment = ["DATABASE_URL": database.serving.url]
            let wrong = "{ \"app-id\": 1 }"
            try await withFiles([wrong]) { paths in
                let result = try await run(["load", Self.example] + paths, environment)
                #expect(result.code == 65)
                #expect(try await database.value("SELECT count(*) FROM attribution.conversion_scheme") == "0")
            }
            let loaded = try await run(["load", Self.bits, Self.example], environment)
            #expect(loaded.code == 0)
            #expect(
                loaded.output == """
                    app 525463029, 2026-Q4 revenue: loaded, valid from 2026-10-01T00:00:00Z on
                    app 10738027756, revenue by bits: loaded, valid from 2026-10-01T00:00:00Z to 2027-01-01T00:00:00Z

                    """)
            let again = try await run(["load", Self.example], environment)
            #expect(again.output == "app 525463029, 2026-Q4 revenue: is loaded already\n")

            let successor = "{\"app-id\": 525463029, \"name\": \"2027\", \"valid-from\": \"2027-01-01T00:00:00Z\"}"
            #expect(
                try await run(["load"], files: [successor], environment).output
                    == "app 525463029, 2027: loaded, valid from 2027-01-01T00:00:00Z on; "
                    + "it closes the scheme from 2026-10-01T00:00:00Z\n")
            #expect(
                try await run(["list"], environment).output == """
                    525463029\t2026-10-01T00:00:00Z\t2027-01-01T00:00:00Z\tUSD\tnot in use\t2026-Q4 revenue
                    525463029\t2027-01-01T00:00:00Z\topen\t-\tnot in use\t2027
                    10738027756\t2026-10-01T00:00:00Z\t2027-01-01T00:00:00Z\tEUR\tnot in use\trevenue by bits

                    """)
            let shown = try await run(["show", "525463029", "--at", "2026-12-31T23:59:59Z"], environment)
            #expect(shown.output.contains("\"valid-to\": \"2027-01-01T00:00:00Z\""))
            #expect(try await run(["check"], files: [shown.output]).code == 0)
            #expect(
                try await run(["show", "525463029", "--at", "2027-01-01"], environment).output.contains(
                    "\"name\": \"2027\""))
            let none = try await run(["show", "525463029", "--at", "2026-09-30"], environment)
            #expect(none.code == 65)
            #expect(none.errors == ["PostbackServer: app 525463029 has no scheme that is valid at that time"])
            let overlap = "{\"app-id\": 525463029, \"name\": \"x\", \"valid-from\": \"2026-11-01T00:00:00Z\"}"
            try await withFiles([overlap]) { paths in
                let result = try await run(["load"] + paths, environment)
                #expect(result.code == 65)
                #expect(result.errors.last?.hasPrefix("PostbackServer: app 525463029: valid-from, valid-to: ") == true)
            }
        }
    }
}
