import Archives
import Foundation
import PostgresClient

/// What `reconcile` prints.
struct AgreementText: CustomStringConvertible {
    private let archive: OtherArchive
    private let agreement: Agreement

    init(_ archive: OtherArchive, _ agreement: Agreement) {
        self.archive = archive
        self.agreement = agreement
    }

    var description: String {
        let counts = agreement.counts
        return """
            run \(agreement.run): \(archive.file), a \(agreement.side.rawValue)'s archive
            \(archive.lines) lines: \(agreement.postbacks) postbacks, \(archive.notOurs) lines not ours, \
            \(archive.refused) refused
            \(times)
            matched        \(counts.matched)\(parts("raised here", counts.raisedHere, "raised there", counts.raisedThere))
            value differs  \(counts.valueDiffers)\
            \(parts("higher here", counts.higherHere, "higher there", counts.higherThere))
            signed differs \(counts.signedDiffers)
            only here      \(counts.onlyHere)\(parts("at an end of this time", counts.onlyHereAtEnd))
            only there     \(counts.onlyThere)\(parts("may still come", counts.onlyThereAtEnd))
            not compared   \(counts.notCopied + counts.beforeBegin)\
            \(parts("no copy is sent", counts.notCopied, "before the first day here", counts.beforeBegin))
            """
    }

    private var times: String {
        guard let times = agreement.times else {
            return "its time is not known, so nothing is only here: say it with --first-day and --last-day"
        }
        let source =
            switch agreement.timesBy {
            case .archive: "by its times of receipt"
            case .matches: "by when the same postbacks were received here"
            case .option, .nothing: "as given"
            }
        return "it covers \(Self.text(times.lowerBound)) to \(Self.text(times.upperBound)), \(source)"
    }

    /// The parts of a number that are not 0, in brackets.
    private func parts(_ name: String, _ count: Int64, _ other: String = "", _ otherCount: Int64 = 0) -> String {
        let parts = [(name, count), (other, otherCount)].filter { $0.1 > 0 }
        guard !parts.isEmpty else { return "" }
        return " (\(parts.map { "\($0.1) \($0.0)" }.joined(separator: ", ")))"
    }

    /// Seconds are enough to read.
    private static func text(_ time: PostgresTimestamp) -> String {
        let seconds = TimeInterval(time.millisecondsSince1970.quotientAndRemainder(dividingBy: 1_000).quotient)
        return Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }
}
