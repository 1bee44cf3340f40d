import NIOCore

/// A deadline that moves with every request and almost never passes.
///
/// Moving it costs almost nothing: the scheduled task wakes up, sees that it is early, and schedules itself again. So a
/// busy connection schedules one task every few seconds, and not two for each request. Cancelling a task is expensive,
/// because the event loop searches it among the tasks of all connections. So no task waits long, and a deadline that
/// moves to an earlier time finds one that wakes up early enough. For the event loop only.
final class LazyDeadline {
    /// The longest time that a task waits.
    static let longestWait = TimeAmount.seconds(2)

    private let eventLoop: any EventLoop
    private let expired: () -> Void
    private var due: NIODeadline?
    /// The time at which it was set last: a clock that costs nothing.
    private(set) var lastSet: NIODeadline
    private var wakeUp: (at: NIODeadline, task: Scheduled<Void>)?

    /// Makes a deadline that is not set.
    /// - Parameter expired: Called on the event loop when a deadline has passed. The deadline is then not set any more.
    init(eventLoop: any EventLoop, expired: @escaping () -> Void) {
        self.eventLoop = eventLoop
        lastSet = eventLoop.now
        self.expired = expired
    }

    /// Sets the deadline to a time from now.
    func set(after duration: Duration) {
        lastSet = eventLoop.now
        let due = lastSet + TimeAmount(duration)
        self.due = due
        if let wakeUp {
            guard wakeUp.at > due else { return }
            wakeUp.task.cancel()
        }
        schedule(due)
    }

    /// Removes the deadline.
    func clear() {
        due = nil
    }

    /// Removes the deadline and its task, at the end of the connection.
    func cancel() {
        due = nil
        wakeUp?.task.cancel()
        wakeUp = nil
    }

    private func schedule(_ deadline: NIODeadline) {
        let time = min(deadline, eventLoop.now + Self.longestWait)
        let task = eventLoop.assumeIsolated().scheduleTask(deadline: time) { [weak self] in
            guard let self else { return }
            self.wokeUp()
        }
        wakeUp = (time, task)
    }

    private func wokeUp() {
        wakeUp = nil
        guard let due else { return }
        guard eventLoop.now >= due else { return schedule(due) }
        self.due = nil
        expired()
    }
}
