import Synchronization

/// The keys that postbacks are tried with, in their order: production, development, ring.
///
/// SKAdNetwork names no key. So the key that verified the last signature is tried first for the next one: nearly always,
/// a stream of postbacks is under one key, and no signature is under two. (From a signature, anybody can compute a second
/// key that verifies it. But nobody can sign with that key, so it is never the last one that verified.)
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

    /// For each claim the first key that verifies it.
    ///
    /// Each key checks all signatures together that no other key has verified yet, as far as their budgets go.
    func keys(verifying claims: [SignatureClaim], _ budgets: inout [SignatureBudget]) -> [PostbackKey?] {
        var found = [PostbackKey?](repeating: nil, count: claims.count)
        onP192.verify(claims, &budgets, into: &found)
        onP256.verify(claims, &budgets, into: &found)
        return found
    }

    /// The keys on one curve.
    private final class Candidates: Sendable {
        private let keys: [PostbackKey]
        private let last = Atomic<Int>(0)

        init(_ keys: [PostbackKey]) {
            self.keys = keys
        }

        func verify(
            _ claims: [SignatureClaim], _ budgets: inout [SignatureBudget], into found: inout [PostbackKey?]
        ) {
            let last = last.load(ordering: .relaxed)
            // The last one first, then the others in their order.
            for step in 0...keys.count {
                let index = step == 0 ? last : step - 1
                guard keys.indices.contains(index), step == 0 || index != last else { continue }
                let key = keys[index]
                let places = claims.indices.filter { place in
                    found[place] == nil && key.mayHaveMade(claims[place]) && budgets[place].take()
                }
                guard !places.isEmpty else { continue }
                for (place, isValid) in zip(places, key.key.areValid(places.map { claims[$0].signed })) where isValid {
                    found[place] = key
                    // A key that was named says nothing about those that are not.
                    if claims[place].keyID == nil { self.last.store(index, ordering: .relaxed) }
                }
            }
        }
    }
}

/// What a postback says about its signature.
struct SignatureClaim: Sendable {
    /// The signature, and the digest of what it covers.
    let signed: SignedDigest
    let curve: Curve
    /// The name of the key; nil in SKAdNetwork, which names none.
    let keyID: String?
}

/// How many more keys may be tried on the signature of one body, so that a hostile one can't ask for more work than that.
struct SignatureBudget: Sendable {
    /// The most keys that are tried on one body, both times together if it is tried again as a relay may have got it.
    static let signatures = 100

    private var left = signatures

    /// Takes one signature out of the budget; false if none is left.
    mutating func take() -> Bool {
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
