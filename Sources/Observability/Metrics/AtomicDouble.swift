import Synchronization

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
