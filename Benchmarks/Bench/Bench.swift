import ArgumentParser
import Foundation

/// The root of the `bench` program.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure AdAttribution; see docs/performance.md.",
        discussion: "`run` measures everything. The other commands are its parts, each of which takes one sample.",
        subcommands: [
            RunCommand.self, AgreeCommand.self, VerifyCommand.self, StoreCommand.self, LoadCommand.self,
            BareCommand.self, HostileCommand.self, OverloadCommand.self, ReceiveCommand.self, SidecarCommand.self,
            SteadyCommand.self, VerifyNotificationsCommand.self,
        ])

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as BenchError {
            Console.complain("\(error)")
            Foundation.exit(1)
        } catch {
            exit(withError: error)
        }
    }
}
