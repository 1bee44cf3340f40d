import Synchronization
import Testing

@testable import PostbackIngest

@Suite("The admission gate") struct AdmissionGateTests {
    @Test("As many as there is room for get in, and one more for each that leaves")
    func room() {
        let gate = AdmissionGate(capacity: 2)
        #expect(gate.enter())
        #expect(gate.enter())
        #expect(!gate.enter())
        #expect(!gate.enter())
        gate.leave()
        #expect(gate.enter())
        #expect(!gate.enter())
        gate.leave()
        gate.leave()
        #expect(gate.enter())
    }

    @Test("A gate without room lets nobody in")
    func closed() {
        #expect(!AdmissionGate(capacity: 0).enter())
    }

    /// Who is inside, who was at most, and who got in.
    private final class Counts: Sendable {
        private let counts = Mutex((inside: 0, most: 0, entered: 0))

        var all: (inside: Int, most: Int, entered: Int) { counts.withLock { $0 } }

        func enter() {
            counts.withLock { counts in
                counts.inside += 1
                counts.entered += 1
                counts.most = max(counts.most, counts.inside)
            }
        }

        func leave() { counts.withLock { $0.inside -= 1 } }
    }

    @Test("No more than its capacity are inside at once, however many come")
    func concurrency() async {
        let gate = AdmissionGate(capacity: 3)
        let counts = Counts()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    guard gate.enter() else { return }
                    counts.enter()
                    await Task.yield()
                    counts.leave()
                    gate.leave()
                }
            }
        }
        #expect(counts.all.inside == 0)
        #expect(1...3 ~= counts.all.most)
        #expect(counts.all.entered >= 3)
    }
}
