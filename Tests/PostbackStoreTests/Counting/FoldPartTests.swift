import Testing

@testable import PostbackStore

/// How many events are folded at once.
@Suite("The part of the log that is folded at once")
struct FoldPartTests {
    @Test("A part grows while it is quick, up to a bound")
    func growing() {
        var part = FoldPart()
        let first = part.events
        part.took(.seconds(1))
        #expect(part.events == first * 2)
        for _ in 0..<20 { part.took(.milliseconds(1)) }
        #expect(part.events == 1_280_000)
    }

    @Test("A part that takes two to six seconds stays as it is")
    func steady() {
        var part = FoldPart()
        part.took(.seconds(5))
        #expect(part == FoldPart())
    }

    @Test("A part that takes longer, or too long for the statement timeout, shrinks, down to a bound")
    func shrinking() {
        var part = FoldPart()
        let first = part.events
        part.took(.seconds(7))
        #expect(part.events == first / 2)
        for _ in 0..<20 { part.shrink() }
        #expect(part.events == 5_000)
    }
}
