/// When a reader of the log is read next.
///
/// It has no clock: times are parameters. While nothing is there, the reader is asked ever less often: from five times a
/// second to once.
struct ReadingState: Sendable {
    /// How many events are read at once, and how many may wait in front of that.
    static let pageSize = 500
    /// How long a reader without events waits.
    static let pauses = (first: Duration.milliseconds(200), last: Duration.seconds(1))
    /// How long it waits after an error of the database.
    static let pauseAfterError = Duration.seconds(1)

    private var isReading = false
    private var next: ContinuousClock.Instant
    private var pause = pauses.first

    /// Reads at once.
    init(at now: ContinuousClock.Instant) {
        next = now
    }

    /// Whether a page is to be read now; then it counts as begun.
    mutating func begins(at now: ContinuousClock.Instant) -> Bool {
        guard !isReading, now >= next else { return false }
        isReading = true
        return true
    }

    /// A page was read.
    mutating func ended(isEmpty: Bool, isAtEnd: Bool, at now: ContinuousClock.Instant) {
        isReading = false
        pause = isEmpty ? min(pause * 2, Self.pauses.last) : Self.pauses.first
        next = isAtEnd ? now + pause : now
    }

    /// A page could not be read.
    mutating func failed(at now: ContinuousClock.Instant) {
        isReading = false
        next = now + Self.pauseAfterError
    }
}
