import Synchronization

/// A count that many threads add to without a lock.
///
/// It is a class, because an `Atomic` can't be an element of an array.
final class AtomicCount: Sendable {
    private let count = Atomic<Int64>(0)

    /// The count at this moment.
    var value: Int64 { count.load(ordering: .relaxed) }

    /// Adds to the count.
    ///
    /// It wraps at overflow and does not trap.
    func add(_ amount: Int64) {
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    /// Sets the count to zero.
    func reset() {
        count.store(0, ordering: .relaxed)
    }
}
