import AppStoreData
import ECDSA
import Encodings
import Foundation
import TestSupport
import Testing

/// Our verdicts beside those of Apple's library in Python: ours never accepts what Apple's refuses.
@Suite("Signed data, beside Apple's library", .enabled(if: TestEnvironment.python != nil, TestEnvironment.reason))
struct AppleOracleTests {
    private static let script = TestEnvironment.root + "Tests/AppStoreDataTests/Oracle/apple_store_oracle.py"

    /// Whether Apple's library accepts each text.
    ///
    /// Each process is asked for a part, so that none needs much memory.
    private func verdicts(of texts: [[UInt8]], root: Certificate, isStrict: Bool = true) async throws -> [Bool] {
        var all: [Bool] = []
        for start in stride(from: 0, to: texts.count, by: 5_000) {
            let part = texts[start..<min(start + 5_000, texts.count)]
            all += try await verdicts(ofPart: part, root: root, isStrict: isStrict)
        }
        return all
    }

    private func verdicts(ofPart texts: ArraySlice<[UInt8]>, root: Certificate, isStrict: Bool) async throws -> [Bool] {
        let request: [String: Any] = [
            "roots": [Base64.encode(root.der)], "strict": isStrict, "texts": texts.map { Base64.encode($0) },
        ]
        let result = try await ChildProcess.run(
            try #require(TestEnvironment.python), [Self.script],
            environment: ProcessInfo.processInfo.environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 },
            input: try JSONSerialization.data(withJSONObject: request))
        #expect(result.code == 0, "\(String(decoding: result.errors, as: UTF8.self))")
        let verdicts = try #require(try JSONSerialization.jsonObject(with: result.output) as? [Bool])
        try #require(verdicts.count == texts.count)
        return verdicts
    }

    @Test("Every form gets the verdict of Apple's library, but for refusals that are known to be stricter")
    func forms() async throws {
        let store = try TestStore()
        let cases = try SignedDataCase.all(store)
        for (example, isAccepted) in zip(cases, try await verdicts(of: cases.map(\.text), root: store.root)) {
            #expect(isAccepted == example.isApples ?? isAccepted, "\(example.name)")
            #expect(isAccepted || example.verdict != .accepted, "\(example.name)")
        }
    }

    @Test("What a signer signs is accepted by Apple's library, which is strict")
    func signer() async throws {
        let signer = try StoreSigner.make(validFrom: TestStore.first, validTo: TestStore.last)
        let text = try signer.sign(Array(TestStore.payload.utf8))
        #expect(try await verdicts(of: [text], root: signer.root) == [true])
        #expect(try await verdicts(of: [text], root: try TestStore().root) == [false])
    }

    @Test("Of changed texts, and of changed headers and payloads with a good signature, ours accepts no others")
    func mutations() async throws {
        let store = try TestStore()
        let verifier = store.verifier()
        var random = SeededGenerator(seed: 37)
        var texts: [[UInt8]] = []
        let good = try store.text()
        for _ in 0..<Mutation.count {
            texts.append(Mutation.ofText(good, &random))
            texts.append(try store.text(header: Mutation.ofJSON(store.header(), &random)))
            texts.append(try store.text(payload: Mutation.ofJSON(TestStore.payload, &random)))
        }
        let ours = texts.map { Verdict($0, by: verifier) == .accepted }
        #expect(ours.contains(true) && ours.contains(false))
        for (index, isAccepted) in try await verdicts(of: texts, root: store.root).enumerated() where ours[index] {
            #expect(isAccepted, "\(String(decoding: texts[index], as: UTF8.self))")
        }
    }

    @Test(
        "Apple's files get the verdicts of Apple's library, but for the one that has no date",
        .enabled(if: AppleLibrary.hasFiles, AppleLibrary.reason))
    func files() async throws {
        let root = try Certificate(der: AppleLibrary.file("testCA.der"))
        let trust = StoreTrust(apps: [], sharedSecrets: [], testRoots: [root], accountKey: nil)
        let verifier = SignedDataVerifier(trust: trust)
        var random = SeededGenerator(seed: 38)
        var names: [String] = []
        var texts: [[UInt8]] = []
        for name in AppleLibrary.files.keys.sorted() {
            let text = try AppleLibrary.file(name)
            names += Array(repeating: name, count: 1 + Mutation.count)
            texts += [text] + (0..<Mutation.count).map { _ in Mutation.ofText(text, &random) }
        }
        let apples = try await verdicts(of: texts, root: root, isStrict: false)
        for (index, text) in texts.enumerated() {
            let isOurs = Verdict(text, by: verifier) == .accepted
            #expect(apples[index] || !isOurs, "\(names[index]) \(index)")
            if index % (1 + Mutation.count) == 0 && names[index] != "wrongBundleId" {
                #expect(apples[index] == isOurs, "\(names[index])")
            }
        }
    }
}
