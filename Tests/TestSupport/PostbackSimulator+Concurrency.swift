import AdAttribution
import PostbackSimulation

extension PostbackSimulator {
    /// The bodies of all deliveries, in order, made on all cores.
    package func bodiesConcurrently() async throws -> [[UInt8]] {
        let chunk = 1_000
        return try await withThrowingTaskGroup(of: (Int, [[UInt8]]).self) { group in
            for start in stride(from: 0, to: count, by: chunk) {
                group.addTask {
                    (start, try (start..<min(start + chunk, count)).compactMap { try body(at: $0) })
                }
            }
            var chunks: [Int: [[UInt8]]] = [:]
            for try await (start, bodies) in group { chunks[start] = bodies }
            return chunks.sorted { $0.key < $1.key }.flatMap(\.value)
        }
    }
}
