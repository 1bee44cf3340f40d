/// A dictionary of bounded size, which forgets what was not asked for.
///
/// It has two generations of half the size. What is added goes into the young one, and what is found in the old one too,
/// while there is room. If the young one is full, it becomes the old one with the next new key, and the old one is
/// forgotten. So the keys that are named most stay.
///
/// Only `add` forgets. It hands out what it forgets, so that the owner can free it outside of its lock.
struct TwoGenerations<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    /// The greatest number of keys of one generation, at least 1.
    private let limit: Int

    /// Makes an empty one for at most `bound` keys, or for 2 if that is more.
    init(bound: Int) {
        limit = max(1, bound / 2)
    }

    /// The value of a key; nil if it is not known, or no longer.
    mutating func value(of key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old[key] else { return nil }
        if young.count < limit { young[key] = value }
        return value
    }

    /// Adds values, one after the other.
    ///
    /// - Returns: The generations that are forgotten for them.
    mutating func add(_ values: [Key: Value]) -> [[Key: Value]] {
        var forgotten: [[Key: Value]] = []
        for (key, value) in values {
            if young.count >= limit, young[key] == nil {
                forgotten.append(old)
                old = young
                // It will be as large, so it need not grow step by step.
                young = Dictionary(minimumCapacity: limit)
            }
            young[key] = value
        }
        return forgotten
    }

    /// Takes values that nobody has asked for yet as the old generation, unless there is one: then what is known is worth
    /// more.
    ///
    /// It takes the same time for any number of values up to that of a generation.
    mutating func fill(_ values: [Key: Value]) {
        guard old.isEmpty else { return }
        old =
            values.count <= limit
            ? values : Dictionary(uniqueKeysWithValues: values.prefix(limit).map { ($0.key, $0.value) })
    }
}
