/// How much was sent that the database does not know of, and whether a commit is under way.
///
/// It has no clock: times are parameters.
struct CommitState: Sendable {
    /// How many events a kill may repeat.
    static let exposureLimit = 500
    /// A commit waits for this many endings, or for `interval`.
    static let size = 250
    static let interval = Duration.milliseconds(200)

    /// Attempts that have begun and whose ending is not committed.
    private(set) var exposed = 0
    /// The endings of the commit that is under way; nil if none is.
    private var endings: Int?
    private var last: ContinuousClock.Instant
    /// The reader whose cursor the last commit moved.
    private(set) var lastFeed = SenderState.Feed.replay

    /// Nothing was sent.
    init(at now: ContinuousClock.Instant) {
        last = now
    }

    /// Whether nothing more may begin before a commit.
    var isFull: Bool { exposed >= Self.exposureLimit }

    /// Whether a commit is under way.
    var isUnderWay: Bool { endings != nil }

    /// Whether a commit of this many endings may begin.
    func isDue(_ count: Int, at now: ContinuousClock.Instant) -> Bool {
        !isUnderWay && (count >= Self.size || now - last >= Self.interval)
    }

    /// An attempt begins.
    mutating func expose() { exposed += 1 }

    /// An attempt did not begin after all.
    mutating func forget() { exposed -= 1 }

    /// A commit of this many endings of attempts begins.
    mutating func begin(_ count: Int, of feed: SenderState.Feed) {
        endings = count
        lastFeed = feed
    }

    /// The commit is done.
    mutating func end(at now: ContinuousClock.Instant) {
        exposed -= endings ?? 0
        endings = nil
        last = now
    }
}
