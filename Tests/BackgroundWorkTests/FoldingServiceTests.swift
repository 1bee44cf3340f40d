import Testing

@testable import BackgroundWork

/// How long folding waits.
@Suite("The pause between two folds")
struct FoldingServiceTests {
    @Test("Figures are folded every interval, also with the dead row versions that autovacuum leaves")
    func clean() {
        #expect(FoldingService.pause(.seconds(5), deadVersionsPerRow: 0) == .seconds(5))
        #expect(FoldingService.pause(.seconds(5), deadVersionsPerRow: 1) == .seconds(5))
    }

    @Test("Figures are folded every twelve intervals while dead row versions pile up")
    func dead() {
        #expect(FoldingService.pause(.seconds(5), deadVersionsPerRow: 3.1) == .seconds(60))
        #expect(FoldingService.pause(.seconds(5), deadVersionsPerRow: 40) == .seconds(60))
    }

    private func pause(_ interval: Duration = .seconds(10), after fold: Duration, isDone: Bool, mayWait: Bool)
        -> Duration
    {
        FoldingService.pause(interval, after: fold, isDone: isDone, mayWait: mayWait)
    }

    @Test("If answers may not wait, they are folded every interval, and at once if events are left")
    func idle() {
        #expect(pause(after: .milliseconds(20), isDone: true, mayWait: false) == .seconds(10))
        #expect(pause(after: .seconds(20), isDone: true, mayWait: false) == .seconds(10))
        #expect(pause(after: .seconds(20), isDone: false, mayWait: false) == .zero)
    }

    @Test(
        "If answers may wait, it rests nine times as long as the fold took, so it uses a tenth of the time at most"
    )
    func busy() {
        for isDone in [true, false] {
            #expect(pause(after: .milliseconds(20), isDone: isDone, mayWait: true) == .seconds(10))
            #expect(pause(after: .seconds(2), isDone: isDone, mayWait: true) == .seconds(18))
            #expect(pause(.zero, after: .milliseconds(300), isDone: isDone, mayWait: true) == .milliseconds(2_700))
        }
    }
}
