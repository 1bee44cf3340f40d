import Synchronization

/// The keys that postbacks are tried with, in their order: production, development, ring.
///
/// SKAdNetwork names no key. Which of them verified the last signature is tried first for the next one: a stream of
/// postbacks is nearly always under one key, and a signature is never under two. (A second key for a given signature can
/// be computed out of it, but nobody could sign with that one, so it would never be the last that verified.)
public struct OrderedPostbackKeys: Sendable {
    /// All keys, in their order.
    public let all: [PostbackKey]

    private let onP192: Candidates
    private let onP256: Candidates

    /// The keys in the order in which they are to be tried.
    public init(_ keys: [PostbackKey]) {
        all = keys
        onP192 = Candidates(keys.filter { $0.key.curve == .p192 })
        onP256 = Candidates(keys.filter { $0.key.curve == .p256 })
    }

    /// The first key on a curve that a body says yes to.
    func first(on curve: Curve, where verifies: (PostbackKey) -> Bool) -> PostbackKey? {
        (curve == .p192 ? onP192 : onP256).first(where: verifies)
    }

    /// The first key of a name on a curve that a body says yes to.
    func first(
        named name: String, on curve: Curve, where verifies: (PostbackKey) -> Bool
    ) -> PostbackKey? {
        (curve == .p192 ? onP192 : onP256).keys.first { key in
            // Byte for byte: a string comparison would hold other spellings of a character for the same name.
            key.name.utf8.elementsEqual(name.utf8) && verifies(key)
        }
    }

    private final class Candidates: Sendable {
        let keys: [PostbackKey]
        private let last = Atomic<Int>(0)

        init(_ keys: [PostbackKey]) {
            self.keys = keys
        }

        func first(where verifies: (PostbackKey) -> Bool) -> PostbackKey? {
            let last = last.load(ordering: .relaxed)
            if keys.indices.contains(last), verifies(keys[last]) { return keys[last] }
            for (index, key) in keys.enumerated() where index != last && verifies(key) {
                self.last.store(index, ordering: .relaxed)
                return key
            }
            return nil
        }
    }
}
