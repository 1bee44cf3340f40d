import Archives
import Foundation
import PostbackStore
import StrictJSON
import Synchronization

/// What a command shows on stderr while it reads archives.
///
/// It shows how far the command is, the rate, the time that is left, and lines that were refused.
final class ArchiveDisplay: Sendable {
    private struct State {
        var lastShown: ContinuousClock.Instant
        var refusals = 0
    }

    private let start = ContinuousClock.now
    private let interval: Duration
    private let state: Mutex<State>

    /// The most refused lines that are shown one by one.
    private static let maximumRefusals = 20

    init() {
        // Somebody who looks on wants it often, a log does not.
        interval = isatty(STDERR_FILENO) == 1 ? .seconds(1) : .seconds(10)
        state = Mutex(State(lastShown: start))
    }

    func show(_ status: ArchiveStatus) {
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            guard now - state.lastShown >= interval else { return false }
            state.lastShown = now
            return true
        }
        guard isDue else { return }
        let seconds = (now - start) / .seconds(1)
        let left = Double(status.size - status.done) / max(1, Double(status.doneNow)) * seconds
        let percent = status.size > 0 ? 100 * Double(status.done) / Double(status.size) : 100
        ProgramLog.write(
            "\(JSONText.line(status.path)): \(percent.formatted(.number.precision(.fractionLength(1)))) % of all, "
                + "\(Int(Double(status.linesNow) / seconds)) postbacks/s, \(Self.text(seconds: left)) left")
    }

    func show(_ refusal: RefusedArchiveLine) {
        let number = state.withLock { state in
            state.refusals += 1
            return state.refusals
        }
        guard number <= Self.maximumRefusals else { return }
        ProgramLog.write("\(JSONText.line(refusal.path)):\(refusal.line): \(refusal.rejection)")
        if number == Self.maximumRefusals { ProgramLog.write("more refused lines are counted, not shown") }
    }

    /// Says of a file that earlier runs have read it, and what happens with it.
    ///
    /// Its middle is not compared, so it says what is known, and not that it is the same file.
    func show(_ path: String, _ beginning: ArchiveImport.Beginning) {
        let same = "\(JSONText.line(path)): a file of this size, beginning and end was read"
        switch beginning {
        case .skipped(let reading):
            ProgramLog.write(
                "\(same) to its end before (\(reading.lines) lines, none refused), so it is skipped; "
                    + "import --again reads it all the same")
        case .again(let reading):
            ProgramLog.write(
                "\(same) \(reading.isWhole ? "to its end" : "in part") before (\(reading.lines) lines, "
                    + "\(reading.counts.refused) refused); it is read again from its beginning, and what was counted "
                    + "is a duplicate now")
        }
    }

    func finish(_ counts: ArchiveImport.Counts) throws {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let rate = Int(Double(counts.now.total) / max(seconds, 0.001))
        let before = counts.before.total > 0 ? "; counted before: \(Self.text(counts.before))" : ""
        try StandardOutput.summary("imported: \(Self.text(counts.now)); \(rate) postbacks/s\(before)")
    }

    private static func text(_ counts: ImportCounts) -> String {
        "\(counts.accepted) accepted, \(counts.raised) raised, \(counts.duplicates) duplicate, "
            + "\(counts.refused) refused"
    }

    private static func text(seconds: Double) -> String {
        let whole = Int(min(seconds.rounded(), 1e9))
        if whole < 60 { return "\(whole) s" }
        if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
    }
}
