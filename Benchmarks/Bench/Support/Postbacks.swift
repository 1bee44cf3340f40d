import AdAttribution
import Dispatch
import PostbackSimulation
import PostbackStore
import PostgresClient
import Synchronization

/// Postbacks to measure with: the simulator's, of one kind, each delivered once, under a key made for the run.
struct Postbacks {
    let bodies: [[UInt8]]
    let key: PostbackKey
    /// The keys that the verdict is asked of: one, as in production, where Apple's key comes first.
    let verifier: PostbackVerifier

    static let adNetworkID = "example123.skadnetwork"

    /// So many of a kind; the same seed gives the same postbacks under other keys.
    ///
    /// - Parameters:
    ///   - raises: The share that brings an earlier one again with a higher value.
    ///   - load: How many sources and lines they have, if not as usual.
    ///   - occasion: Another one gives the same postbacks under other transaction ids.
    init(
        _ kind: SimulatedKind, count: Int, seed: UInt64 = 1, raises: Double = 0, load: CardinalityLoad? = nil,
        occasion: UInt64 = 0
    ) throws {
        guard let network = AdNetworkID(Self.adNetworkID), let curve = kind.layout()?.curve else {
            throw BenchError.setUp
        }
        var configuration = PostbackSimulator.Configuration(seed: seed, count: count, adNetworkIDs: [network])
        configuration.kinds = [kind]
        configuration.raises = raises
        configuration.occasion = occasion
        load?.set(in: &configuration)
        let signing = try SigningKey.generate(curve)
        let simulator = try PostbackSimulator(configuration, keys: SimulationKeys(signing, name: Self.keyName))
        guard let prepared = signing.publicKey.verifying(with: FixedKey.backend) else { throw BenchError.setUp }
        key = try PostbackKey(name: Self.keyName, environment: .test, key: prepared)
        bodies = try Self.concurrently(count, chunk: 500) { range in
            try range.compactMap { try simulator.body(at: $0) }
        }
        var ring = try KeyRing(
            networks: [KeyRing.Network(adNetworkID: network, signingKey: nil)], postbackKeys: [key])
        guard ring.verify(with: FixedKey.backend).isEmpty else { throw BenchError.setUp }
        verifier = PostbackVerifier(keyRing: ring)
    }

    private static let keyName = "load-test"

    /// All of them verified, as deliveries a millisecond apart.
    func deliveries() throws -> [PostbackDelivery] {
        try Self.concurrently(bodies.count, chunk: 500) { range in
            try range.map { index in
                let verified = try verifier.verify(Postback(parsing: bodies[index]))
                return PostbackDelivery(
                    verified, receivedAt: PostgresTimestamp(millisecondsSince1970: Self.start + Int64(index)))
            }
        }
    }

    /// 2025-11-21, midnight UTC.
    private static let start: Int64 = 1_763_683_200_000

    private static func concurrently<Element: Sendable>(
        _ count: Int, chunk: Int, _ body: @Sendable (Range<Int>) throws -> [Element]
    ) throws -> [Element] {
        let parts = Mutex<[Int: [Element]]>([:])
        let chunks = (count + chunk - 1) / chunk
        DispatchQueue.concurrentPerform(iterations: chunks) { index in
            let part = try? body(index * chunk..<min(count, (index + 1) * chunk))
            parts.withLock { $0[index] = part }
        }
        let elements = parts.withLock { parts in (0..<chunks).flatMap { parts[$0] ?? [] } }
        guard elements.count == count else { throw BenchError.setUp }
        return elements
    }
}
