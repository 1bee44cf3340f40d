import ArgumentParser
import PostbackStore
import ServerSettings

/// The command `PostbackServer undistribute`.
struct UndistributeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undistribute",
        abstract: "Put all rows of a Citus cluster back on the coordinator.",
        discussion: """
            All servers must be stopped. It is one transaction, with a recount before and after. If the recounts differ from \
            each other, nothing is changed (exit code 70). If figures were wrong before, it ends with 65. The lanes stay as \
            they are.

            Example:
              PostbackServer undistribute
            """)

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let result = try await StoreSession.with(options) { try await $0.undistribute() }
        try DistributeCommand.tell(result)
    }
}
