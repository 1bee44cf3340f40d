import ArgumentParser
import Foundation
import LocalFiles
import Observability

/// The root of the `PostbackServer` program: reads the command line, runs one command, turns its failure into an exit
/// code.
@main
struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "PostbackServer",
        abstract: "Receive, verify and count the install postbacks of Apple's ad attribution.",
        discussion: """
            Examples:
              PostbackServer migrate --database-url postgresql:///attribution
              PostbackServer serve --http-port 80
              DATABASE_URL=postgresql:///attribution PostbackServer import archive.ndjson

            Each setting is read from the command line, then the environment, then the file .env in the working folder, \
            then the JSON file that CONFIG_FILE names. `PostbackServer help serve` lists the settings.

            If whoever reads standard output closes it, as head does, a command ends without a message, with exit code 0.

            Exit codes:
              0   good
              1   recount, or app-store reconcile, has found a difference
              64  wrong usage
              65  a file, or lines of an archive, were refused; or there is no such scheme, identifier or destination
              66  a file cannot be read or written
              69  the database, a port or Apple's API is not available; or a destination did not take a test, or a TEST
                  notification did not arrive
              70  a fault of the program's own
              75  not now: no identifier is free, a reader of the log needs a day, a replay is under way, or Apple wants
                  a pause
              78  a wrong setting, key ring, token file, certificate or schema; a right in the database is missing; or
                  a cluster can't be used
            """,
        version: VersionCommand.text,
        subcommands: [
            ServeCommand.self, MigrateCommand.self, GrantsCommand.self, DistributeCommand.self,
            UndistributeCommand.self,
            ReprocessCommand.self, ImportCommand.self, SchemeCommand.self,
            MappingCommand.self, AppNamesCommand.self, SpendCommand.self, ReconcileCommand.self, FoldCommand.self,
            ReportCommand.self, RecountCommand.self, RepairLogCommand.self, ForgetCommand.self, TokenCommand.self,
            ArchiveCommand.self,
            ExportCommand.self, DestinationCommand.self, ForwardCommand.self, AppStoreCommand.self,
            VersionCommand.self,
        ])

    static func main() async {
        // If whoever reads our output goes away, that must not end the program.
        signal(SIGPIPE, SIG_IGN)
        var command: any ParsableCommand
        do {
            try checkName(of: CommandLine.arguments.dropFirst().first)
            command = try parseAsRoot()
        } catch {
            exit(usage: error)
        }
        do {
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            ProgramLog.sink.flush()
        } catch is OutputClosed {
            ProgramLog.sink.flush()
            Foundation.exit(0)
        } catch  where exitCode(for: error).isSuccess {
            // What `help` throws to show its text.
            exit(withError: error)
        } catch {
            let failure = Failure(error)
            end(failure.texts, failure.code)
        }
    }

    /// Without this a misspelt command would be refused as an unexpected argument, and nobody would know the names.
    private static func checkName(of word: String?) throws {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let word, !word.hasPrefix("-"), word != "help", !names.contains(word) else { return }
        throw ValidationError("There is no command '\(word)'. The commands are: \(names.joined(separator: ", ")).")
    }

    /// Shows help, or what is wrong with the command line and what would be right.
    private static func exit(usage error: any Error) -> Never {
        guard !exitCode(for: error).isSuccess else { exit(withError: error) }
        var lines = fullMessage(for: error)
        if lines.hasPrefix("Error: ") { lines.removeFirst("Error: ".count) }
        end([lines], .usage)
    }

    /// Says why the program ends, and ends it.
    ///
    /// If nobody reads stderr, it waits a second at most.
    private static func end(_ texts: [String], _ code: Failure.Code) -> Never {
        for text in texts { ProgramLog.write("PostbackServer: \(text)") }
        ProgramLog.sink.flush()
        Foundation.exit(code.rawValue)
    }
}
