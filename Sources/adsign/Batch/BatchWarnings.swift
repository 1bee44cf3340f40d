import AdAttribution
import Foundation
import StrictJSON

/// What is allowed in a batch and is probably a mistake: a nonce that stands twice, and a timestamp that is old.
///
/// The lines are signed all the same. Of each kind the first few are written, and at the end how many more there were.
struct BatchWarnings {
    /// How many nonces are remembered, so that memory is bounded: about 200 MB.
    static let rememberedNonces = 4_000_000
    /// How many warnings of one kind are written.
    static let shown = 20
    /// How old a timestamp may be, in milliseconds: by default, Apple attributes an install to a view within 24 hours.
    static let oldest: Int64 = 24 * 3_600 * 1_000

    /// What is known of one line that was signed.
    struct Line: Sendable {
        let line: Int
        /// The nonce, if it was given.
        let nonce: Nonce?
        /// The age of the timestamp in milliseconds, if it was given.
        let age: Int64?
    }

    private let limit: Int
    private var lineOfNonce: [UUID: Int] = [:]
    private var repeatedNonces = 0
    private var oldTimestamps = 0
    private var unremembered = 0

    /// Begins a batch.
    init(rememberedNonces limit: Int = Self.rememberedNonces) {
        self.limit = limit
    }

    /// The warnings for a line, with their line ends.
    mutating func add(_ line: Line) -> [UInt8] {
        var output: [UInt8] = []
        if let nonce = line.nonce {
            if let first = lineOfNonce[nonce.uuid] {
                repeatedNonces += 1
                if repeatedNonces <= Self.shown {
                    Self.append("nonce", "was used on line \(first) too", line: line.line, to: &output)
                }
            } else if lineOfNonce.count < limit {
                lineOfNonce[nonce.uuid] = line.line
            } else {
                unremembered += 1
            }
        }
        if let age = line.age, age > Self.oldest {
            oldTimestamps += 1
            if oldTimestamps <= Self.shown {
                let rule =
                    "is \(age / 3_600_000) hours old; by default an install counts 24 hours after a view, 30 days after a click"
                Self.append("timestamp", rule, line: line.line, to: &output)
            }
        }
        return output
    }

    /// What was not written, one sentence a line.
    var summary: [String] {
        var lines: [String] = []
        if repeatedNonces > Self.shown {
            lines.append(
                "warning: \(repeatedNonces) lines have a nonce of an earlier line; the first \(Self.shown) are named")
        }
        if oldTimestamps > Self.shown {
            lines.append("warning: \(oldTimestamps) lines have an old timestamp; the first \(Self.shown) are named")
        }
        if unremembered > 0 {
            lines.append(
                "warning: nonces are compared with the first \(limit) only; \(unremembered) lines were compared with no later one"
            )
        }
        return lines
    }

    private static func append(_ field: String, _ rule: String, line: Int, to output: inout [UInt8]) {
        output.append(contentsOf: "{\"line\":\(line),\"warning\":{\"field\":\"\(field)\",\"rule\":".utf8)
        JSONText.append(rule, to: &output)
        output.append(contentsOf: "}}\n".utf8)
    }
}
