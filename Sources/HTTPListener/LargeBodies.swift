import Synchronization

/// The requests of a listener whose bodies may be larger than all others, and how much memory such bodies may take.
///
/// All connections of the listener share it. A body takes memory for the bytes of it that have come, so whoever sends
/// slowly takes little. The memory is free again when nobody holds the body any more. If there is none for the next
/// bytes, the request is refused. One whose declared length does not fit now is refused before its body is read.
package final class LargeBodies: Sendable {
    /// The greatest number of bytes of such a body.
    package let maximumBodyBytes: Int
    private let budget: Int
    private let isOpen: @Sendable () -> Bool
    private let isTarget: @Sendable (String) -> Bool
    private let reserved = Atomic(0)

    /// Takes the limits, and what says of which requests they are.
    ///
    /// - Parameters:
    ///   - maximumBodyBytes: The greatest number of bytes of one body.
    ///   - budget: The greatest number of bytes of all bodies that are in memory, at least that of one.
    ///   - isOpen: Whether such bodies are taken now; if not, these requests are like all others.
    ///   - isTarget: Whether the body of a request with this target may be large. It is asked of every request. A target
    ///     may have a query, or a host before its path.
    package init(
        maximumBodyBytes: Int, budget: Int, isOpen: @escaping @Sendable () -> Bool = { true },
        isTarget: @escaping @Sendable (_ target: String) -> Bool
    ) {
        self.maximumBodyBytes = maximumBodyBytes
        self.budget = max(budget, maximumBodyBytes)
        self.isOpen = isOpen
        self.isTarget = isTarget
    }

    /// The bytes that are reserved now.
    package var reservedBytes: Int { reserved.load(ordering: .relaxed) }

    /// Whether the body of a request with this target may be large.
    func takes(_ target: String) -> Bool { isTarget(target) && isOpen() }

    /// Whether so many bytes fit beside those that are in memory now; this reserves nothing.
    func hasRoom(for count: Int) -> Bool { count <= budget - reservedBytes }

    /// Reserves memory for bytes that have come; false if there is none, and then nothing is reserved.
    fileprivate func reserve(_ count: Int) -> Bool {
        var known = reservedBytes
        while count <= budget - known {
            let (isDone, now) = reserved.weakCompareExchange(
                expected: known, desired: known + count, ordering: .relaxed)
            if isDone { return true }
            known = now
        }
        return false
    }

    fileprivate func release(_ count: Int) {
        reserved.wrappingSubtract(count, ordering: .relaxed)
    }
}

/// Memory that is reserved for what has come of one large body, until nobody holds this any more.
///
/// Whoever keeps the body keeps this beside it.
package final class BodyReservation: Sendable {
    private let bodies: LargeBodies
    private let bytes = Atomic(0)

    /// Reserves nothing yet.
    init(in bodies: LargeBodies) {
        self.bodies = bodies
    }

    /// Reserves memory for more bytes of the body; false if there is none.
    func grow(by count: Int) -> Bool {
        guard bodies.reserve(count) else { return false }
        bytes.wrappingAdd(count, ordering: .relaxed)
        return true
    }

    deinit { bodies.release(bytes.load(ordering: .relaxed)) }
}
