import ArgumentParser
import PostbackStore
import ServerSettings

/// The command `PostbackServer fold`.
struct FoldCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fold",
        abstract: "Bring the reports of answers up to date.",
        discussion: """
            A running server does this every few seconds. The command is for an import without a server, or if reports must
            be whole now. It adds everything that was counted to the daily tables. If a scheme was loaded for past days, it
            folds the answers of its app anew. If a server is folding, it waits for that.

            Example:
              PostbackServer fold
            """)

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let (figures, answers) = try await StoreSession.with(options) { store in
            try await (store.fold(waits: true), store.foldAnswers(waits: true))
        }
        try StandardOutput.summary("fold: \(figures) events added to figures, \(answers) to answers")
    }
}
