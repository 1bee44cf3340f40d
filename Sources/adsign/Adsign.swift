import ArgumentParser
import Foundation

/// The root of the `adsign` program: reads the command line, runs one subcommand, turns its failure into an exit code.
@main
struct Adsign: ParsableCommand {
    // `version` stays empty here: ArgumentParser would take `sign --version 2.0` for a question about the tool.
    static let configuration = CommandConfiguration(
        commandName: "adsign",
        abstract: "Sign ad impressions, and verify impressions and postbacks of Apple's ad attribution.",
        discussion: """
            A first round:
              adsign keygen --out network.pem
              adsign public-key --key network.pem --out network.pub.pem
              adsign sign --key network.pem --ad-network-id example123.skadnetwork \\
                --source-identifier 5239 --itunes-item-id 525463029 \\
                --source-app-id 1234567891 --fidelity-type 1 > impression.json
              adsign verify --public-key network.pub.pem impression.json

            Exit codes: 0 good; 1 a verification failed; 64 wrong usage; 65 bad input data; \
            66 an input or key file cannot be read; 70 a fault of adsign's own.
            """,
        subcommands: [
            KeygenCommand.self, PublicKeyCommand.self, SignCommand.self, VerifyCommand.self,
            VerifyPostbackCommand.self, SimulateCommand.self, VersionCommand.self,
        ])

    static func main() {
        // A reader that goes away (`adsign … | head`) is an error of write(2), not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let failure as Failure {
            failure.report()
            Foundation.exit(failure.code.rawValue)
        } catch StandardStream.Closed.output {
            Foundation.exit(0)
        } catch {
            exit(withError: error)
        }
    }
}
