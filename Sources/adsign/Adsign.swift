import ArgumentParser
import Foundation
import LocalFiles

/// The `adsign` program: it reads the command line, runs one subcommand, and turns a failure into an exit code.
@main
struct Adsign: AsyncParsableCommand {
    // `version` is not set here: ArgumentParser would then read `sign --version 2.0` as a question about the tool.
    static let configuration = CommandConfiguration(
        commandName: "adsign",
        abstract: "Sign ad impressions, and verify impressions and postbacks of Apple's ad attribution.",
        discussion: """
            To begin:
              adsign keygen --out network.pem
              adsign public-key --key network.pem --out network.pub.pem
              adsign sign --key network.pem --ad-network-id example123.skadnetwork \\
                --source-identifier 5239 --itunes-item-id 525463029 \\
                --source-app-id 1234567891 --fidelity-type 1 > impression.json
              adsign verify --public-key network.pub.pem impression.json

            adsign --version prints the version of adsign itself. If whoever reads standard output closes it, as head does, \
            a command ends without a message, with exit code 0.

            Exit codes:
              0   success
              1   a verification, a delivery or a check failed
              64  wrong usage
              65  wrong input data
              66  an input or key file can't be read
              70  a fault of adsign
            """,
        subcommands: [
            KeygenCommand.self, PublicKeyCommand.self, SignCommand.self, VerifyCommand.self,
            VerifyPostbackCommand.self, VerifyWebhookCommand.self, VerifyReceiptCommand.self, VerifyJWSCommand.self,
            SimulateCommand.self, InfoPlistCommand.self,
            CheckEndpointCommand.self,
            VersionCommand.self,
        ])

    /// Without this a misspelt command would be refused as an unexpected argument, and nobody would know the names.
    private static func checkName(of word: String?) throws {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let word, !word.hasPrefix("-"), word != "help", !names.contains(word) else { return }
        let known = names.joined(separator: ", ")
        throw ValidationError("There is no command '\(word.prefix(60))'. The commands are: \(known).")
    }

    static func main() async {
        // If the reader of our output ends (`adsign … | head`), write(2) returns an error. The signal would kill us.
        signal(SIGPIPE, SIG_IGN)
        do {
            // Only before all else: later it is an option of `sign` and `simulate`.
            let isAskedForVersion = CommandLine.arguments.dropFirst().first == "--version"
            if !isAskedForVersion { try checkName(of: CommandLine.arguments.dropFirst().first) }
            let words = try CommandLineWords.prepared(Array(CommandLine.arguments.dropFirst()))
            var command: any ParsableCommand = try isAskedForVersion ? VersionCommand() : parseAsRoot(words)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as CommandError {
            error.report()
            Foundation.exit(error.code.rawValue)
        } catch is OutputClosed {
            Foundation.exit(0)
        } catch  where exitCode(for: error).isSuccess {
            exit(withError: error)
        } catch {
            // Not by `exit(withError:)`: the message repeats arguments as they were given.
            StandardStream.error(fullMessage(for: error))
            exit(withError: exitCode(for: error))
        }
    }
}
