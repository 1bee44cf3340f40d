import ArgumentParser
import Foundation

/// `bench table`: the samples of a run as one table, and in a JSON file.
struct TableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "table", abstract: "Print the samples of a run as one table, and write them to a JSON file.")

    @Option(name: .long, help: "The samples, one JSON object a line.")
    var samples: String

    @Option(name: .long, help: "The JSON file to write.")
    var json: String

    @Option(name: .long, help: "Something about the machine or the run, as name=text; may be given again.")
    var about: [String] = []

    func run() throws {
        let about = try about.map(AboutRun.init)
        let summaries = FigureSummary.all(of: try readSamples(), bounds: Figure.bounds)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let report = Report(
            about: Dictionary(about.map { ($0.name, $0.text) }, uniquingKeysWith: { $1 }), figures: summaries)
        try encoder.encode(report).write(to: URL(fileURLWithPath: json), options: .atomic)
        let width = about.map(\.name.count).max() ?? 0
        for line in about {
            print(line.name.padding(toLength: width, withPad: " ", startingAt: 0), line.text, separator: "  ")
        }
        print("")
        FigureTable(summaries: summaries).lines.forEach { print($0) }
        print(
            "",
            "Medians over the rounds; the ratio is the median of each round's value to the baseline beside it, the spread",
            "goes from its least to its greatest in percent of the median. docs/performance.md says what each figure is.",
            separator: "\n")
    }

    private func readSamples() throws -> [Sample] {
        let text = try String(contentsOfFile: samples, encoding: .utf8)
        let decoder = JSONDecoder()
        return try text.split(separator: "\n").map { try decoder.decode(Sample.self, from: Data($0.utf8)) }
    }
}

/// Something about the machine or the run: `name=text`.
private struct AboutRun {
    let name: String
    let text: String

    init(_ argument: String) throws {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw ValidationError("--about takes name=text, not \(argument)") }
        name = String(parts[0])
        text = String(parts[1])
    }
}

/// The JSON file.
private struct Report: Encodable {
    let about: [String: String]
    let figures: [FigureSummary]
}
