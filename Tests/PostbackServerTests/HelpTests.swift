import Foundation
import TestSupport
import Testing

/// What both programs say of themselves.
@Suite("Help", .enabled(if: TestEnvironment.hasPrograms, TestEnvironment.reason))
struct HelpTests {
    /// Runs a program whose terminal is so wide that no line is broken.
    private func run(
        _ program: String, _ arguments: [String]
    ) async throws -> (code: Int32, output: String, errors: String) {
        let path = try #require(TestEnvironment.programs) + "/" + program
        let environment = ProcessInfo.processInfo.environment.merging(["COLUMNS": "1000"]) { $1 }
        let result = try await ChildProcess.run(path, arguments, environment: environment)
        return (
            code: result.code, output: String(decoding: result.output, as: UTF8.self),
            errors: String(decoding: result.errors, as: UTF8.self)
        )
    }

    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The commands of which help is a list.
    private static func subcommands(in help: String) -> [String] {
        let all = lines(of: help)
        guard let begin = all.firstIndex(of: "SUBCOMMANDS:") else { return [] }
        return all.dropFirst(begin + 1).prefix { !$0.isEmpty }.compactMap { line in
            line.hasPrefix("  ") && !line.hasPrefix("   ") ? line.split(separator: " ").first.map(String.init) : nil
        }
    }

    /// The help of a command and of all below it, each with its name.
    private func helps(_ program: String, _ words: [String] = []) async throws -> [(command: String, text: String)] {
        let help = try await run(program, words + ["--help"])
        #expect(help.code == 0, "\(words): \(help.errors)")
        var found = [(command: ([program] + words).joined(separator: " "), text: help.output)]
        for name in Self.subcommands(in: help.output) {
            found += try await helps(program, words + [name])
        }
        return found
    }

    @Test(
        "An example fits into 80 columns, and each line of it but the last one ends with a backslash",
        arguments: ["PostbackServer", "adsign"])
    func examples(_ program: String) async throws {
        let commands = try await helps(program)
        #expect(commands.count > 10)
        var examples = 0
        for (command, text) in commands {
            var isContinued = false
            for line in Self.lines(of: text) {
                let words = line.split(separator: " ")
                // Commands are set in by two blanks, and may begin with a variable.
                let isCommand =
                    line.hasPrefix("  ") && !line.hasPrefix("   ")
                    && words.first { !$0.contains("=") }.map(String.init) == program
                guard isCommand || isContinued else { continue }
                if isCommand { examples += 1 }
                #expect(isCommand != isContinued && (isCommand || line.hasPrefix("    ")), "\(command): \(line)")
                #expect(line.count < 80, "\(command): \(line)")
                // A backslash that the program has lost leaves the blanks of the next line.
                #expect(!line.drop { $0 == " " }.contains("  "), "\(command): \(line)")
                isContinued = line.hasSuffix("\\")
            }
            #expect(!isContinued, "\(command)")
        }
        #expect(examples > 20)
    }

    @Test(
        "A command that does not exist is refused with the names of those that do",
        arguments: [("PostbackServer", "serve, migrate, "), ("adsign", "keygen, public-key, sign, ")])
    func unknownCommand(_ program: String, _ names: String) async throws {
        let result = try await run(program, ["frob"])
        #expect(result.code == 64)
        #expect(
            result.errors.contains("There is no command 'frob'. The commands are: \(names)"), "\(result.errors)")
    }

    @Test("The option for another server than Apple's is in the help")
    func addressOption() async throws {
        let help = try await run("PostbackServer", ["app-store", "test", "--help"])
        #expect(help.output.contains("--api-url <url>"), "\(help.output)")
    }
}
