import Testing

@testable import PostbackIngest

/// How long folding answers waits.
@Suite("The pause between two folds of answers")
struct AnswerFolderTests {
    @Test("Answers are folded every interval if a fold is short")
    func short() {
        #expect(AnswerFolder.pause(.seconds(10), after: .milliseconds(20)) == .seconds(10))
        #expect(AnswerFolder.pause(.seconds(10), after: .seconds(1)) == .seconds(10))
    }

    @Test("After a long fold it rests nine times as long, so it uses a tenth of the time at most")
    func long() {
        #expect(AnswerFolder.pause(.seconds(10), after: .seconds(2)) == .seconds(18))
        #expect(AnswerFolder.pause(.zero, after: .milliseconds(300)) == .milliseconds(2_700))
    }
}
