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
        onP192 = Candidates(keys, on: .p192)
        onP256 = Candidates(keys, on: .p256)
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

    /// For each of many signatures the first key that verifies it.
    ///
    /// Each key takes all that no other has verified yet, side by side.
    func first(of signatures: [DetachedSignature]) -> [PostbackKey?] {
        var found = [PostbackKey?](repeating: nil, count: signatures.count)
        for candidates in [onP192, onP256] {
            let places = signatures.indices.filter {
                signatures[$0].curve == candidates.curve && signatures[$0].keyID == nil
            }
            candidates.first(of: places.map { ($0, signatures[$0]) }, into: &found)
        }
        let named = Dictionary(grouping: signatures.indices.filter { signatures[$0].keyID != nil }) { place in
            Array((signatures[place].keyID ?? "").utf8)
        }
        for (name, places) in named {
            for candidates in [onP192, onP256] {
                candidates.named(name).first(
                    of: places.filter { signatures[$0].curve == candidates.curve }.map { ($0, signatures[$0]) },
                    into: &found)
            }
        }
        return found
    }

    private final class Candidates: Sendable {
        let keys: [PostbackKey]
        let curve: Curve
        private let last = Atomic<Int>(0)

        init(_ keys: [PostbackKey], on curve: Curve) {
            self.keys = keys.filter { $0.key.curve == curve }
            self.curve = curve
        }

        /// Those of a name, byte for byte: a string comparison would hold other spellings of a character for the same
        /// name.
        func named(_ name: [UInt8]) -> Candidates {
            Candidates(keys.filter { $0.name.utf8.elementsEqual(name) }, on: curve)
        }

        func first(of signatures: [(place: Int, signature: DetachedSignature)], into found: inout [PostbackKey?]) {
            var open = signatures
            let last = last.load(ordering: .relaxed)
            for index in keys.indices.sorted(by: { $0 == last && $1 != last || $0 < $1 && $1 != last }) {
                guard !open.isEmpty else { return }
                let verdicts = keys[index].key.areValid(open.map { ($0.signature.signature, $0.signature.digest) })
                for (entry, isValid) in zip(open, verdicts) where isValid { found[entry.place] = keys[index] }
                if verdicts.contains(true) { self.last.store(index, ordering: .relaxed) }
                open = zip(open, verdicts).filter { !$0.1 }.map(\.0)
            }
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

/// A signature beside the digest of what it covers, and what is said of its key.
struct DetachedSignature: Sendable {
    /// ASN.1 DER.
    let signature: [UInt8]
    /// SHA-256.
    let digest: [UInt8]
    let curve: Curve
    /// The name of the key, where it is named.
    let keyID: String?
}
