import Foundation
import Synchronization

/// Keeps the samples of a run: prints each, and appends it to a file.
final class SampleRecorder: Sendable {
    private let file: FileHandle
    private let kept = Mutex<[Sample]>([])

    /// - Parameter path: The file, which is emptied.
    init(path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw BenchError("\(path) can't be written") }
        self.file = file
    }

    /// All samples so far.
    var samples: [Sample] { kept.withLock { $0 } }

    /// Records a sample.
    func record(_ sample: Sample) throws {
        kept.withLock { $0.append(sample) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try file.write(contentsOf: try encoder.encode(sample) + Data("\n".utf8))
        Console.say(Self.line(sample))
    }

    /// Records what figures say of one measurement, or why it failed.
    func record<Measured>(
        _ readings: [Reading<Measured>], _ kind: Sample.Kind, round: Int, of result: Result<Measured, BenchError>
    ) throws {
        for reading in readings {
            var value: Double?
            var reason: String?
            switch result {
            case .success(let measured): value = reading.value(measured)
            case .failure(let error): reason = error.description
            }
            try record(
                Sample(
                    figure: reading.figure, round: round, kind: kind, value: value, unit: reading.unit, reason: reason))
        }
    }

    private static func line(_ sample: Sample) -> String {
        let value = sample.value.map { String(format: $0 < 100 ? "%.2f" : "%.0f", $0) } ?? "-"
        let columns = [(sample.figure, 40), (sample.kind.rawValue, 8)].map {
            $0.padding(toLength: $1, withPad: " ", startingAt: 0)
        }
        let padded = String(repeating: " ", count: max(0, 14 - value.count)) + value
        return (columns + [padded, sample.unit]).joined(separator: " ") + (sample.reason.map { ", \($0)" } ?? "")
    }
}

/// A figure that is read off a measurement.
struct Reading<Measured> {
    let figure: String
    let unit: String
    let value: (Measured) -> Double?

    init(_ figure: String, _ unit: String, _ value: @escaping (Measured) -> Double?) {
        self.figure = figure
        self.unit = unit
        self.value = value
    }
}

extension Reading where Measured == Double {
    /// The measurement is the figure.
    init(_ figure: String, _ unit: String) {
        self.init(figure, unit, { $0 })
    }
}
