import ArgumentParser
import PostbackStore

/// The command `PostbackServer undistribute`.
struct UndistributeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undistribute",
        abstract: "Put all rows of a Citus cluster back on the coordinator.",
        discussion: """
            All servers must be stopped. It is one transaction, and ends with the recount. The lanes stay as they are.

            Example:
              PostbackServer undistribute
            """)

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let result = try await StoreSession.with(options) { try await $0.undistribute() }
        print(DistributeCommand.line(result))
    }
}
