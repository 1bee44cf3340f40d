import NIOCore

/// A deadline that moves with every request and is hardly ever reached.
///
/// Moving it later costs nothing: the task that is scheduled wakes up, sees that it is early and schedules itself again.
/// So a busy connection schedules one task every few seconds rather than two a request. Event loop only.
final class LazyDeadline {
    private let eventLoop: any EventLoop
    private let expired: () -> Void
    private var due: NIODeadline?
    private var wakeUp: (at: NIODeadline, task: Scheduled<Void>)?

    /// A deadline that is not set.
    /// - Parameter expired: Called on the event loop once a deadline has passed; it is then not set any more.
    init(eventLoop: any EventLoop, expired: @escaping () -> Void) {
        self.eventLoop = eventLoop
        self.expired = expired
    }

    /// Replaces the deadline with one so far from now.
    func set(after duration: Duration) {
        let due = eventLoop.now + TimeAmount(duration)
        self.due = due
        if let wakeUp {
            guard wakeUp.at > due else { return }
            wakeUp.task.cancel()
        }
        schedule(due)
    }

    /// Takes the deadline away.
    func clear() {
        due = nil
    }

    /// Takes the deadline away together with the task, at the end of the connection.
    func cancel() {
        due = nil
        wakeUp?.task.cancel()
        wakeUp = nil
    }

    private func schedule(_ deadline: NIODeadline) {
        let task = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
            guard let self else { return }
            self.wokeUp()
        }
        wakeUp = (deadline, task)
    }

    private func wokeUp() {
        wakeUp = nil
        guard let due else { return }
        guard eventLoop.now >= due else { return schedule(due) }
        self.due = nil
        expired()
    }
}
