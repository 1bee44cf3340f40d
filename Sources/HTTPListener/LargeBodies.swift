import Synchronization

/// The requests of a listener whose bodies may be larger than all others, and how much memory such bodies may take.
///
/// All connections of the listener share it. The memory of a body is reserved when the head of its request is there.
/// It is free again when nobody holds the body any more. If there is none, the request is refused before its body is
/// read.
package final class LargeBodies: Sendable {
    /// The greatest number of bytes of such a body; one without a declared length counts as this many.
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

    /// Reserves memory for a body; nil if too many are in memory already.
    func reserve(_ declaredLength: Int?) -> BodyReservation? {
        let bytes = min(declaredLength ?? maximumBodyBytes, maximumBodyBytes)
        let (_, sum) = reserved.wrappingAdd(bytes, ordering: .relaxed)
        let reservation = BodyReservation(bytes: bytes, in: self)
        return sum <= budget ? reservation : nil
    }

    fileprivate func release(_ bytes: Int) {
        reserved.wrappingSubtract(bytes, ordering: .relaxed)
    }
}

/// Memory that is reserved for one large body, until nobody holds this any more.
///
/// Whoever keeps the body keeps this beside it.
package final class BodyReservation: Sendable {
    private let bytes: Int
    private let bodies: LargeBodies

    fileprivate init(bytes: Int, in bodies: LargeBodies) {
        (self.bytes, self.bodies) = (bytes, bodies)
    }

    deinit { bodies.release(bytes) }
}
