import ECDSA
import TestSupport
import Testing

@testable import AppStoreData

/// Apple's own test data, with the verdicts of Apple's own tests.
@Suite("Apple's test data of signed data")
struct AppleLibraryTests {
    private let library: AppleLibrary

    init() throws {
        library = try AppleLibrary.read()
    }

    private func prove(
        _ leaf: String, _ intermediate: String, appleRoots: [String] = [], testRoots: [String] = [],
        at seconds: Int64 = AppleLibrary.time
    ) throws -> ProvenChain {
        try ProvenChain(
            leaf: library.certificate(leaf), intermediate: library.certificate(intermediate),
            appleRoots: appleRoots.map { try library.certificate($0) },
            testRoots: testRoots.map { try library.certificate($0) }, at: seconds)
    }

    @Test("The real chain leads to the root that is built in, from the leaf's first second to its last")
    func realChain() throws {
        let leaf = try library.certificate("real-apple-signing-certificate")
        let intermediate = try library.certificate("real-apple-intermediate")
        #expect(AppleRoots.all.map(\.der) == [try library.certificate("real-apple-root").der])
        for seconds: Int64 in [1_761_868_800, AppleLibrary.time, 1_758_311_091, 1_823_449_642] {
            let chain = try ProvenChain(
                leaf: leaf, intermediate: intermediate, appleRoots: AppleRoots.all, testRoots: [], at: seconds)
            #expect(chain.validity == 1_758_311_091..<1_823_449_643 && !chain.isOfTestRoot)
            #expect(chain.key.curve == .p256)
        }
        for seconds: Int64 in [1_758_311_090, 1_823_449_643] {
            #expect(throws: CertificateError.notValidAt(seconds)) {
                _ = try ProvenChain(
                    leaf: leaf, intermediate: intermediate, appleRoots: AppleRoots.all, testRoots: [], at: seconds)
            }
        }
    }

    @Test("Apple's chain of tests leads to its root, and gives the leaf's key")
    func testChain() throws {
        let chain = try prove("leaf-cert", "intermediate-ca", testRoots: ["root-ca"])
        #expect(chain.isOfTestRoot)
        #expect(try chain.key.subjectPublicKeyInfo == library.leafKey().subjectPublicKeyInfo)
    }

    @Test("A leaf or an authority with another mark is refused")
    func marks() throws {
        #expect(throws: CertificateError.missingMarker(oid: StoreMarker.intermediate)) {
            _ = try prove(
                "leaf-cert-for-intermediate-ca-invalid-oid", "intermediate-ca-invalid-oid", testRoots: ["root-ca"])
        }
        #expect(throws: CertificateError.missingMarker(oid: StoreMarker.leaf)) {
            _ = try prove("leaf-cert-invalid-oid", "intermediate-ca", testRoots: ["root-ca"])
        }
    }

    @Test("A chain that has ended, and one of another root, are refused")
    func refused() throws {
        #expect(throws: CertificateError.notValidAt(2_280_946_846)) {
            _ = try prove("leaf-cert", "intermediate-ca", testRoots: ["root-ca"], at: 2_280_946_846)
        }
        #expect(throws: CertificateError.self) {
            _ = try prove("leaf-cert", "intermediate-ca", appleRoots: ["real-apple-root"])
        }
        #expect(throws: CertificateError.self) {
            _ = try prove("real-apple-signing-certificate", "real-apple-intermediate", testRoots: ["root-ca"])
        }
        #expect(throws: CertificateError.self) { _ = try prove("leaf-cert", "intermediate-ca") }
    }

    @Test("Only roots of tests may lack what RFC 5280 asks for")
    func strictness() throws {
        #expect(throws: CertificateError.self) {
            _ = try prove("leaf-cert", "intermediate-ca", appleRoots: ["root-ca"])
        }
        #expect(try prove("leaf-cert", "intermediate-ca", appleRoots: ["root-ca"], testRoots: ["root-ca"]).isOfTestRoot)
    }

    @Test(
        "Each file of signed data gets its verdict, and no change of one is accepted",
        .enabled(if: AppleLibrary.hasFiles, AppleLibrary.reason), .heavyWork,
        arguments: AppleLibrary.files.keys.sorted())
    func files(_ name: String) throws {
        let root = try Certificate(der: AppleLibrary.file("testCA.der"))
        let trust = StoreTrust(apps: [], sharedSecrets: [], testRoots: [root], accountKey: nil)
        let verifier = SignedDataVerifier(trust: trust)
        let text = try AppleLibrary.file(name)
        #expect((Verdict(text, by: verifier) == .accepted) == AppleLibrary.files[name])
        #expect(Verdict(text, by: SignedDataVerifier(trust: .none)) != .accepted)
        var random = SeededGenerator(seed: 36)
        for _ in 0..<Mutation.count {
            let changed = Mutation.ofText(text, &random)
            #expect(changed == text || Verdict(changed, by: verifier) != .accepted)
        }
    }
}
