/// A duration as files of destinations write it: an integer and a unit, such as `5s`, `30m`, `2h` or `5d`.
enum DurationText {
    /// The longest duration: 30 days.
    static let longest = Duration.seconds(30 * 86_400)

    /// What a text must be, to complete "must be …".
    static let rule = "a duration from 1s to 30d: an integer and s, m, h or d"

    /// Reads a duration; nil if the text is none, or out of range.
    static func read(_ text: String) -> Duration? {
        guard let unit = text.utf8.last, let seconds = seconds(of: unit) else { return nil }
        let digits = text.utf8.dropLast()
        guard (1...7).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != 0x30
        else { return nil }
        let count = digits.reduce(Int64(0)) { $0 * 10 + Int64($1) - 0x30 }
        let duration = Duration.seconds(count * seconds)
        return duration <= longest ? duration : nil
    }

    private static func seconds(of unit: UInt8) -> Int64? {
        switch unit {
        case UInt8(ascii: "s"): 1
        case UInt8(ascii: "m"): 60
        case UInt8(ascii: "h"): 3_600
        case UInt8(ascii: "d"): 86_400
        default: nil
        }
    }
}
