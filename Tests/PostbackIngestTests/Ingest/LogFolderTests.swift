import Testing

@testable import PostbackIngest

/// How long folding waits.
@Suite("The pause between two folds")
struct LogFolderTests {
    @Test("Without dead row versions the log is folded every interval")
    func clean() {
        #expect(LogFolder.pause(.seconds(5), deadVersionsPerRow: 0) == .seconds(5))
    }

    @Test("The pause grows with the dead row versions, up to twelve intervals")
    func dead() {
        #expect(LogFolder.pause(.seconds(5), deadVersionsPerRow: 1) == .seconds(15))
        #expect(LogFolder.pause(.seconds(5), deadVersionsPerRow: 3) == .seconds(35))
        #expect(LogFolder.pause(.seconds(5), deadVersionsPerRow: 40) == .seconds(60))
    }
}
