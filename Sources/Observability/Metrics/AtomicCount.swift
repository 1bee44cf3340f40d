import Synchronization

/// A count that many threads add to without a lock; a class, since an `Atomic` cannot be an element of an array.
final class AtomicCount: Sendable {
    private let count = Atomic<Int64>(0)

    /// The count at this moment.
    var value: Int64 { count.load(ordering: .relaxed) }

    /// Adds to the count; it wraps rather than stops the program.
    func add(_ amount: Int64) {
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    /// Begins at zero again.
    func reset() {
        count.store(0, ordering: .relaxed)
    }
}
