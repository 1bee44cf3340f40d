import Testing

@testable import BackgroundWork

/// How long folding waits.
@Suite("The pause between two folds")
struct LogFolderTests {
    @Test("The log is folded every interval, also with the dead row versions that autovacuum leaves")
    func clean() {
        #expect(LogFolder.pause(.seconds(5), deadVersionsPerRow: 0) == .seconds(5))
        #expect(LogFolder.pause(.seconds(5), deadVersionsPerRow: 1) == .seconds(5))
    }

    @Test("The log is folded every twelve intervals while dead row versions pile up")
    func dead() {
        #expect(LogFolder.pause(.seconds(5), deadVersionsPerRow: 3.1) == .seconds(60))
        #expect(LogFolder.pause(.seconds(5), deadVersionsPerRow: 40) == .seconds(60))
    }
}
