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

/// A floating-point number that many threads add to without a lock.
final class AtomicDouble: Sendable {
    private let bits = Atomic<UInt64>(0)

    /// The value at this moment.
    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    /// Replaces the value.
    func set(_ value: Double) {
        bits.store(value.bitPattern, ordering: .relaxed)
    }

    /// Adds to the value.
    func add(_ amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (exchanged, current) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if exchanged { return }
            old = current
        }
    }
}
