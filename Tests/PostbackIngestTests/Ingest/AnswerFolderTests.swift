import Testing

@testable import PostbackIngest

/// How long folding answers waits.
@Suite("The pause between two folds of answers")
struct AnswerFolderTests {
    private func pause(_ interval: Duration = .seconds(10), after fold: Duration, isDone: Bool, isBusy: Bool)
        -> Duration
    {
        AnswerFolder.pause(interval, after: fold, isDone: isDone, isBusy: isBusy)
    }

    @Test("If few postbacks arrive, answers are folded every interval, and at once if events are left")
    func idle() {
        #expect(pause(after: .milliseconds(20), isDone: true, isBusy: false) == .seconds(10))
        #expect(pause(after: .seconds(20), isDone: true, isBusy: false) == .seconds(10))
        #expect(pause(after: .seconds(20), isDone: false, isBusy: false) == .zero)
    }

    @Test(
        "If many postbacks arrive, it rests nine times as long as the fold took, so it uses a tenth of the time at most"
    )
    func busy() {
        for isDone in [true, false] {
            #expect(pause(after: .milliseconds(20), isDone: isDone, isBusy: true) == .seconds(10))
            #expect(pause(after: .seconds(2), isDone: isDone, isBusy: true) == .seconds(18))
            #expect(pause(.zero, after: .milliseconds(300), isDone: isDone, isBusy: true) == .milliseconds(2_700))
        }
    }
}
