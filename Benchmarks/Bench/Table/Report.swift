import Foundation

/// The end of a run: what was measured and on what machine, printed and in a JSON file.
struct Report: Encodable {
    /// Something about the machine or the run.
    struct Fact {
        let name: String
        let text: String
    }

    let facts: [Fact]
    let figures: [FigureSummary]

    init(facts: [Fact], samples: [Sample]) {
        self.facts = facts
        figures = FigureSummary.all(of: samples, bounds: Figure.bounds)
    }

    private enum CodingKeys: String, CodingKey {
        case about
        case figures
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let about = Dictionary(facts.map { ($0.name, $0.text) }, uniquingKeysWith: { $1 })
        try container.encode(about, forKey: .about)
        try container.encode(figures, forKey: .figures)
    }

    /// Writes the JSON file.
    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: URL(filePath: path), options: .atomic)
    }

    /// The lines for the terminal.
    var lines: [String] {
        let width = facts.map(\.name.count).max() ?? 0
        let about = facts.map { $0.name.padding(toLength: width, withPad: " ", startingAt: 0) + "  " + $0.text }
        return about + [""] + FigureTable(summaries: figures).lines + [
            "",
            "Medians over the rounds. The ratio is the median of each round's value to the baseline beside it. The spread",
            "goes from the least to the greatest in percent of the median. docs/performance.md says what each figure is.",
        ]
    }
}
