import AdAttribution
import StrictJSON

/// The verdict lines for standard output, and the counts that decide the exit code.
struct Verdicts: Sendable {
    /// The lines with their line ends.
    private(set) var lines: [UInt8] = []
    private(set) var count = 0
    private var failed = 0
    private var malformed = 0

    /// The verdict on a record.
    enum Outcome {
        case valid, failed, malformed
    }

    /// Adds a line.
    ///
    /// A nil value is written as `null`, a text as a string.
    mutating func append(_ outcome: Outcome, line: Int, _ members: [(name: String, text: String?)]) {
        count += 1
        switch outcome {
        case .valid: break
        case .failed: failed += 1
        case .malformed: malformed += 1
        }
        lines.append(contentsOf: "{\"line\":\(line)".utf8)
        for (name, text) in members {
            lines.append(contentsOf: ",\"\(name)\":".utf8)
            if let text {
                JSONText.append(text, to: &lines)
            } else {
                lines.append(contentsOf: "null".utf8)
            }
        }
        lines.append(contentsOf: "}\n".utf8)
    }

    /// Adds what a signature covers.
    ///
    /// The verdict line comes after it.
    mutating func append(_ explanation: SignatureExplanation) {
        lines.append(contentsOf: "\(explanation)\n".utf8)
    }

    /// Adds the counts of other verdicts, not their lines.
    mutating func add(_ other: Verdicts) {
        count += other.count
        failed += other.failed
        malformed += other.malformed
    }

    /// Ends a command.
    ///
    /// - Throws: `CommandError`, unless all records are valid: with code 65 if there was no record or a malformed one, else
    ///   with code 1.
    func finish(_ what: String) throws {
        if count == 0 { throw CommandError(.data, "no \(what) in the input") }
        if malformed > 0 { throw CommandError(.data, "\(malformed) of \(count) malformed") }
        if failed > 0 { throw CommandError(.verification, "\(failed) of \(count) not valid") }
    }

    /// Verifies every record of an input, on all cores, and writes the verdicts in order.
    static func run(
        on path: String, _ what: String,
        judge: @escaping @Sendable (_ record: [UInt8], _ line: Int, _ verdicts: inout Verdicts) -> Void
    ) throws {
        var reader = try RecordReader(try InputFile(path))
        var total = Verdicts()
        let pipeline = OrderedPipeline {
            try reader.next()
        } work: { chunk in
            var verdicts = Verdicts()
            for record in chunk.records { judge(chunk.body(of: record), record.line, &verdicts) }
            return verdicts
        } sink: { verdicts in
            total.add(verdicts)
            try StandardStream.output(verdicts.lines)
        }
        try pipeline.run()
        try total.finish(what)
    }
}
