import ArgumentParser

struct TableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "table")
}
