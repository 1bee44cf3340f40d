/// The figures of one aggregate row, or a change to them.
struct Counters: Sendable, Hashable {
    var installs: Int64 = 0
    var redownloads: Int64 = 0
    var reengagements: Int64 = 0
    var assists: Int64 = 0
    var valueKnown: Int64 = 0
    var valueCoarse: Int64 = 0
    var valueNull: Int64 = 0
    var valueSum: Int64 = 0
    var raised: Int64 = 0
    var conflicts: Int64 = 0
    var laterWindows: Int64 = 0

    static func += (left: inout Counters, right: Counters) {
        left.installs += right.installs
        left.redownloads += right.redownloads
        left.reengagements += right.reengagements
        left.assists += right.assists
        left.valueKnown += right.valueKnown
        left.valueCoarse += right.valueCoarse
        left.valueNull += right.valueNull
        left.valueSum += right.valueSum
        left.raised += right.raised
        left.conflicts += right.conflicts
        left.laterWindows += right.laterWindows
    }

    /// Counts a value of a winning first-window postback in, or out with −1.
    mutating func count(_ value: StoredPostback.StoredValue, times sign: Int64) {
        if let fine = value.fine {
            valueKnown += sign
            valueSum += sign * Int64(fine)
        } else if value.coarse != nil {
            valueCoarse += sign
        } else {
            valueNull += sign
        }
    }
}
