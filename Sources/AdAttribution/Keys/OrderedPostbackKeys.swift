import Synchronization

/// The keys that postbacks are tried with, in their order: production, development, ring.
///
/// SKAdNetwork names no key. So the key that verified the last signature is tried first for the next one. Nearly
/// always, a stream of postbacks is under one key, and no signature is under two. (From a signature, anybody can
/// compute a second key that verifies it. But nobody can sign with that key, so it is never the last one that
/// verified.)
package struct OrderedPostbackKeys: Sendable {
    /// All keys, in their order.
    package let all: [PostbackKey]

    private let onP192: Candidates
    private let onP256: Candidates

    /// The keys in the order in which they are to be tried.
    package init(_ keys: [PostbackKey]) {
        all = keys
        onP192 = Candidates(keys, on: .p192)
        onP256 = Candidates(keys, on: .p256)
    }

    /// Finds for each postback the first key that verifies its signature; nil if none does.
    ///
    /// SKAdNetwork names no key, so each on the version's curve is tried. AdAttributionKit names its key, and only that
    /// one is tried, on P-256. If none verifies, and the body has a source app id of 0, it is tried once more without
    /// that id. Relays turn absent fields into 0.
    ///
    /// - Parameter postbacks: One that verified without that id is replaced by the postback that was signed.
    package func find(for postbacks: inout [Postback]) -> [PostbackKey?] {
        var claims = postbacks.map { SignatureClaim($0, SignatureBudget()) }
        check(&claims)
        retry(&postbacks, &claims)
        return claims.map(\.key)
    }

    /// Each key checks all signatures together that no other key has verified yet, as far as their budgets go.
    private func check(_ claims: inout [SignatureClaim]) {
        onP192.check(&claims)
        onP256.check(&claims)
    }

    /// Tries postbacks that have no key once more, without a source app id of 0.
    private func retry(_ postbacks: inout [Postback], _ claims: inout [SignatureClaim]) {
        var places: [Int] = []
        var changed: [Postback] = []
        for place in claims.indices where claims[place].key == nil {
            guard let postback = postbacks[place].withoutFilledInSource else { continue }
            places.append(place)
            changed.append(postback)
        }
        guard !places.isEmpty else { return }
        // What the first time left of the budget.
        var again = zip(changed, places).map { SignatureClaim($0, claims[$1].budget) }
        check(&again)
        for (index, place) in places.enumerated() where again[index].key != nil {
            postbacks[place] = changed[index]
            claims[place].key = again[index].key
        }
    }

    /// The keys on one curve.
    private final class Candidates: Sendable {
        private let curve: Curve
        private let keys: [PostbackKey]
        private let last = Atomic<Int>(0)

        init(_ keys: [PostbackKey], on curve: Curve) {
            self.curve = curve
            self.keys = keys.filter { $0.key.curve == curve }
        }

        func check(_ claims: inout [SignatureClaim]) {
            var open = claims.count { $0.curve == curve && $0.key == nil }
            let last = last.load(ordering: .relaxed)
            // The last one first, then the others in their order.
            for step in 0...keys.count {
                guard open > 0 else { return }
                let index = step == 0 ? last : step - 1
                guard keys.indices.contains(index), step == 0 || index != last else { continue }
                open -= check(&claims, open: open, under: index)
            }
        }

        /// Tries one key for the claims that have none yet; returns how many it verified.
        private func check(_ claims: inout [SignatureClaim], open: Int, under index: Int) -> Int {
            let key = keys[index]
            var asked: [SignedDigest] = []
            asked.reserveCapacity(open)
            for place in claims.indices {
                if claims[place].ask(key) { asked.append(claims[place].signed) }
            }
            guard !asked.isEmpty else { return 0 }
            var found = 0
            var verdicts = key.key.areValid(asked).makeIterator()
            for place in claims.indices where claims[place].isAsked && verdicts.next() == true {
                claims[place].key = key
                found += 1
                // Only unnamed keys update `last`.
                if claims[place].keyID == nil { last.store(index, ordering: .relaxed) }
            }
            return found
        }
    }
}

/// What a postback says about its signature, and the key that was found for it.
struct SignatureClaim: Sendable {
    /// The signature, and the digest of what it covers.
    let signed: SignedDigest
    let curve: Curve
    /// The name of the key; nil in SKAdNetwork, which names none.
    let keyID: String?
    /// How many more keys may be tried.
    var budget: SignatureBudget
    /// The key that verified the signature; nil if none has yet.
    fileprivate(set) var key: PostbackKey?
    /// Whether the signature is among those that a key is checking now.
    fileprivate var isAsked = false

    init(_ postback: Postback, _ budget: SignatureBudget) {
        signed = SignedDigest(signature: postback.signature, message: postback.signedMessage.bytes)
        curve = postback.curve
        keyID = postback.keyID
        self.budget = budget
    }

    /// Whether a key is to be tried: no other one was found, it may have made the signature, and the budget allows it.
    fileprivate mutating func ask(_ candidate: PostbackKey) -> Bool {
        isAsked = key == nil && candidate.mayHaveMade(self) && budget.take()
        return isAsked
    }
}

/// How many more keys may be tried on the signature of one body.
///
/// It bounds the work that a hostile body can cause.
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
