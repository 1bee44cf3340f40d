/// How many events of each lane are folded in one transaction.
///
/// Larger parts cost less: several events of one row of a daily table become one update, and each update leaves a dead
/// row version behind. So the part grows while a transaction takes less than two seconds, and shrinks if one takes longer
/// than six. The statement timeout is ten seconds.
public struct FoldPart: Sendable, Equatable {
    /// The number of events, 5,000 to 1,280,000.
    public private(set) var events = 40_000

    /// The first part.
    public init() {}

    /// Adapts to how long a full part took.
    mutating func took(_ duration: Duration) {
        if duration < .seconds(2) { events = min(events * 2, 1_280_000) }
        if duration > .seconds(6) { shrink() }
    }

    /// A smaller part, because this one took too long.
    mutating func shrink() {
        events = max(events / 2, 5_000)
    }
}
