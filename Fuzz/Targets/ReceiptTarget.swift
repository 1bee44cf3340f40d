import AdAttribution
import AppStoreData
import Foundation

/// A receipt of an app: its content if the first byte is even, and else the whole message.
///
/// A content is signed under a test root first, so that the fuzzer reaches what is inside.
package struct ReceiptTarget: FuzzTarget {
    package static let name = "receipt"

    private let key: SigningKey
    private let certificate: Certificate
    private let verifier: ReceiptVerifier
    /// What was signed in the kept messages.
    ///
    /// Their keys, RSA, are thrown away, so nobody can sign anything else.
    private let kept: Set<[UInt8]>

    package init() throws {
        key = try SigningKey.generate()
        certificate = try CertificateMaker.make(
            subject: "Root", key: key, issuedBy: nil, isAuthority: true, validFrom: 0, validTo: 253_402_300_799)
        let messages = try ["signed-sha1", "signed-sha256", "self-signed"].map { name in
            let file = Repository.root.appending(path: "Fuzz/Corpora/receipt/" + name)
            return try CMSSignedData(der: Array(try Data(contentsOf: file).dropFirst()))
        }
        kept = Set(messages.map(\.content))
        // Of these certificates only the roots end a chain.
        verifier = ReceiptVerifier(testRoots: [certificate] + messages.flatMap(\.certificates))
    }

    package func check(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let isContent = reader.byte() % 2 == 0
        let rest = reader.remainder()
        if isContent { try check(content: rest) } else { try check(message: rest) }
    }

    /// A content that is read is taken, unless one of its dates is beyond those of the certificate.
    private func check(content: [UInt8]) throws {
        let message = try CMSSignedData.sign(
            content: content, certificate: certificate, key: key, otherCertificates: [])
        let signed = try CMSSignedData(der: message)
        try expect(signed.isSignatureValid && signed.content == content, "our own message has another content")
        let receipt = try? Receipt(content: content)
        switch verdict(message) {
        case .success(let verified):
            try expect(verified.receipt == receipt, "another receipt")
            try expect(verified.environment == .test, "a test root vouches for \(verified.environment)")
        case .failure(let refusal):
            try Readable.check(refusal.description, limit: 300)
            try expect((receipt == nil) == (refusal.reason == .malformed), "what is read is not refused as malformed")
        }
    }

    /// A message is refused, or has the content of a kept one.
    private func check(message: [UInt8]) throws {
        switch verdict(message) {
        case .success(let verified):
            try expect(kept.contains(try CMSSignedData(der: message).content), "nobody signed this")
            try expect(verified.environment == .test, "a test root vouches for \(verified.environment)")
        case .failure(let refusal): try Readable.check(refusal.description, limit: 300)
        }
    }

    private func verdict(_ message: [UInt8]) -> Result<VerifiedReceipt, ReceiptRejection> {
        do throws(ReceiptRejection) {
            return .success(try verifier.verify(message))
        } catch {
            return .failure(error)
        }
    }
}
