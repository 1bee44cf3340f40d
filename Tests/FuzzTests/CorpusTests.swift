import Foundation
import FuzzTargets
import TestSupport
import Testing

/// What `make fuzz` checks, on the inputs that were kept and on random changes of them.
@Suite("Kept inputs of the fuzzer", .heavyWork)
struct CorpusTests {
    private static let names = FuzzTargets.all.map { $0.name }

    private func corpus(_ name: String) throws -> [[UInt8]] {
        let folder = URL(filePath: TestEnvironment.root + "Fuzz/Corpora/" + name)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.sorted { $0.path < $1.path }.map { Array(try Data(contentsOf: $0)) }
    }

    @Test("No kept input breaks a rule", arguments: names)
    func kept(_ name: String) throws {
        let target = try #require(FuzzTargets.named(name)).init()
        let inputs = try corpus(name)
        #expect(!inputs.isEmpty)
        for input in inputs { try target.check(input) }
    }

    @Test("No change of a kept input breaks a rule", arguments: names)
    func changed(_ name: String) throws {
        let target = try #require(FuzzTargets.named(name)).init()
        let inputs = try corpus(name)
        var random = SeededGenerator(seed: 12)
        for _ in 0..<400 {
            var input = try #require(inputs.randomElement(using: &random))
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let start = Int.random(in: 0...input.count, using: &random)
                let end = min(input.count, start + Int.random(in: 0...2, using: &random))
                input.replaceSubrange(start..<end, with: random.bytes(Int.random(in: 0...2, using: &random)))
            }
            do {
                try target.check(input)
            } catch {
                Issue.record("\(error): \(Data(input).base64EncodedString())")
            }
        }
    }
}
