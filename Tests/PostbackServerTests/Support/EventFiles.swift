import Foundation
import TestSupport
import Testing

/// What an export wrote.
enum EventFiles {
    /// The steps of an export after which a test kills it.
    private enum Step: Int, CaseIterable {
        /// The program runs.
        case started
        /// A file is being written that was not there before.
        case begun
        /// One more file is finished.
        case finished
        /// The reader of the log has moved.
        case moved
    }

    /// Starts `export --follow` and kills it once it has come to a step, another one in each round.
    ///
    /// - Parameter isOver: Whether nothing more is to be exported: then it is killed at once.
    static func followAndKill(
        round: Int, reader: String, _ folder: String, _ installation: Installation, isOver: () -> Bool = { false }
    ) async throws {
        let place = "SELECT sum(position + ordinal) FROM attribution.log_reader WHERE reader = '\(reader)'"
        let (before, placeBefore) = (try names(in: folder), try await installation.database.value(place))
        let export = try ServerProcess(
            ["export", "--follow", "--file-seconds", "1", "--reader", reader, folder],
            environment: installation.environment())
        let step = Step.allCases[round % Step.allCases.count]
        try await eventually("the export has come to the step \(step)") { () -> Bool? in
            if isOver() { return true }
            let new = Set(try names(in: folder)).subtracting(before)
            let hasFinished = new.contains { $0.hasPrefix("events-") && !$0.hasSuffix(".part") }
            let isReached =
                switch step {
                case .started: export.processID != nil
                case .begun: new.contains { $0.hasPrefix("events-") }
                case .finished: hasFinished
                case .moved:
                    if hasFinished { try await installation.database.value(place) != placeBefore } else { false }
                }
            return isReached ? true : nil
        }
        #expect(export.isRunning, "\(export.lines)")
        try await export.kill()
    }

    /// The names of everything in its folder.
    static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    /// The names of its files of events, without those that are being written.
    static func finished(in folder: String) throws -> [String] {
        try names(in: folder).filter { $0.hasPrefix("events-") && !$0.hasSuffix(".part") }
    }

    /// The events of all finished files, in the order of lane, position and ordinal.
    static func events(in folder: String) throws -> [NSDictionary] {
        try events(finished(in: folder).flatMap { try Data(contentsOf: URL(filePath: folder + "/" + $0)) })
    }

    /// The events of lines, in the same order.
    static func events(_ lines: some Sequence<UInt8>) throws -> [NSDictionary] {
        func key(_ event: NSDictionary) -> [Int64] {
            ["lane", "position", "ordinal"].map { (event[$0] as? NSNumber)?.int64Value ?? -1 }
        }
        return try Array(lines).split(separator: UInt8(ascii: "\n")).map { try TestDatabase.event($0) }
            .sorted { key($0).lexicographicallyPrecedes(key($1)) }
    }
}
