import AdAttribution

/// The deliveries that are still to come, by the day on which they arrive.
struct DeliverySchedule: Sendable {
    /// How long a device tries again after an answer other than 200.
    ///
    /// Source: Apple, "Verifying an install-validation postback": up to nine times within at most nine days.
    static let longestRetry = Milliseconds.days(9)

    /// How late a delivery is that failed at first, so that it can still be repeated.
    static let lateness: ClosedRange<Milliseconds> = .hours(1) ... .minutes(9 * 24 * 60 - 1)

    private let world: TimelineWorld
    private let hasCopies: Bool
    private var days: [Int: [TimelineDelivery]] = [:]

    /// An empty schedule.
    ///
    /// - Parameter hasCopies: Whether copies to developers are wanted.
    init(world: TimelineWorld, hasCopies: Bool) {
        self.world = world
        self.hasCopies = hasCopies
    }

    /// Whether nothing is still to come.
    var isEmpty: Bool { days.isEmpty }

    /// Adds all deliveries of a postback.
    mutating func add(_ postback: TimelinePostback) {
        var recipients: TimelineDelivery.Recipients = .network
        if hasCopies, Self.hasCopy(postback), world.apps[postback.conversion.app].getsCopies {
            if postback.receivedAt == postback.sentAt {
                recipients.insert(.developer)
            } else {
                add(postback, .developer, at: postback.sentAt)
            }
        }
        add(postback, recipients, at: postback.receivedAt)
        var random = SeededRandom(seed: world.seed, .postback, stream: postback.stream)
        guard random.chance(world.shares.retry) else { return }
        let first = postback.receivedAt + .minutes(1)
        let last = max(first, postback.sentAt + Self.longestRetry)
        add(postback, .network, at: first + random.length(Milliseconds(0)...last - first), isRetry: true)
    }

    /// Takes the deliveries of a day, in the order of time.
    mutating func take(day: Int) -> [TimelineDelivery] {
        days.removeValue(forKey: day)?.sorted(by: TimelineDelivery.isBefore) ?? []
    }

    private mutating func add(
        _ postback: TimelinePostback, _ recipients: TimelineDelivery.Recipients, at moment: Moment,
        isRetry: Bool = false
    ) {
        days[(moment - world.calendar.begin).wholeDays, default: []].append(
            TimelineDelivery(postback: postback, recipients: recipients, isRetry: isRetry, receivedAt: moment))
    }

    /// Whether the developer gets a copy: of winning postbacks, from version 2.0 on.
    ///
    /// Source: Apple, "Receiving ad attributions and postbacks".
    private static func hasCopy(_ postback: TimelinePostback) -> Bool {
        postback.didWin && postback.conversion.kind != .skAdNetwork(.v1_0)
    }
}
