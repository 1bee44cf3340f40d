import Foundation
import PostbackIngest
import PostbackStore
import PostgresClient

/// `PostbackServer [serve|migrate|reprocess|import FILE…] [--option value …]`.
@main
enum Program {
    /// Exit codes as in sysexits.h: 64 wrong usage, 65 bad input data, 66 input that can't be read, 69 a service is unavailable, 70 a fault of ours, 78 wrong
    /// configuration.
    private enum ExitCode {
        static let usage: Int32 = 64
        static let data: Int32 = 65
        static let input: Int32 = 66
        static let unavailable: Int32 = 69
        static let fault: Int32 = 70
        static let configuration: Int32 = 78
    }

    static func main() async {
        do {
            let commandLine = try CommandLine.parsed()
            switch commandLine.command {
            case .help: print(CommandLine.help)
            case .version: print("PostbackServer \(Version.text)")
            case .migrate: try await MigrateCommand.run(try await Settings.load(commandLine), lanes: commandLine.lanes)
            case .reprocess: try await ReprocessCommand.run(try await Settings.load(commandLine))
            case .import: try await ImportCommand.run(commandLine.files, try await Settings.load(commandLine))
            case .serve: try await ServeCommand.run(try await Settings.load(commandLine))
            }
        } catch {
            fail(error)
        }
    }

    /// One clear line on stderr, and the exit code that goes with it.
    private static func fail(_ error: any Error) -> Never {
        let code: Int32
        var text = "\(error)"
        switch error {
        case is UsageError: code = ExitCode.usage
        case is SettingsError, is KeyRingError, is SchemaError: code = ExitCode.configuration
        case is RefusedLines: code = ExitCode.data
        case is ArchiveError: code = ExitCode.input
        case is ImportError: code = ExitCode.unavailable
        case is ListenerError: code = ExitCode.unavailable
        case is PostgresError:
            code = ExitCode.unavailable
            text = "database: \(error)"
        default: code = ExitCode.fault
        }
        FileHandle.standardError.write(Data("PostbackServer: \(text)\n".utf8))
        exit(code)
    }
}

/// The version of the programs.
enum Version {
    static let text = "0.1.0"
}
