import AdAttribution
import ArgumentParser
import CampaignData
import ConversionSchemes
import ServerSettings

/// The command `PostbackServer scheme load`.
struct SchemeLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load schemes into the database: all files or none.",
        discussion: """
            Loading a file again changes nothing. An open scheme is closed by its successor. A scheme in use, for whose \
            app a postback was received since it began, is never edited.

            `scheme undo` takes the last load back, while none of its schemes is in use.

            Example:
              PostbackServer scheme load examples/scheme.json \\
                --database-url postgresql:///attribution
            """)

    @Argument(help: ArgumentHelp("The files.", valueName: "file"))
    var files: [String]

    @OptionGroup
    var trial: DryRunOption

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let (schemes, files) = try SchemeFiles.loaded(files)
        let load = try await StoreSession.with(options) {
            try await $0.load(schemes, from: LoadSource(.currentUser, files), ending: trial.ending)
        }
        for outcome in load.schemes { try StandardOutput.summary(trial.prefix + outcome.text) }
        for scheme in schemes {
            for notice in scheme.notices { ProgramLog.write("notice: app \(scheme.appID.value): \(notice)") }
        }
    }
}
