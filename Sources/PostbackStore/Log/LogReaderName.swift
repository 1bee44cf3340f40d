/// The name of a reader of the log: 1 to 64 of `a–z 0–9 - _ .`, but not `figures`, which is the store's own.
public struct LogReaderName: Sendable, Hashable, LosslessStringConvertible {
    /// The name.
    public let description: String

    /// The reader that folds the log into the daily tables.
    static let figures = "figures"

    /// Makes a name; nil if the text is not allowed.
    public init?(_ description: String) {
        guard (1...64).contains(description.utf8.count), description.utf8.allSatisfy(Self.isAllowed),
            description != Self.figures
        else { return nil }
        self.description = description
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
