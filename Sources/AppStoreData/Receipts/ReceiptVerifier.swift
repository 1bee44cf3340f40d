import AdAttribution
package import ECDSA

/// Verifies receipts of apps without asking anybody: PKCS #7 around attributes in ASN.1.
///
/// It has no clock. The signer's certificate is compared with the dates in the receipt: "As long as all the
/// transactions occurred before the certificate is expired it's a valid receipt" (WWDC18, session 704).
/// Apple's root is known by its digest alone (`AppleIncRoot`).
package struct ReceiptVerifier: Sendable {
    /// Apple's root, for receipts that do not carry it.
    private let root: Certificate?
    /// Beside Apple's root.
    private let testRoots: [Certificate]
    /// The SHA-256 of Apple's root.
    private let digest: String

    /// Takes roots that receipts need not carry.
    ///
    /// - Parameters:
    ///   - root: Apple's root. A certificate with another digest is never used.
    ///   - testRoots: Roots whose receipts count as `test`. One may sign a receipt itself, as Xcode's does.
    package init(root: Certificate? = nil, testRoots: [Certificate] = []) {
        self.init(root: root, testRoots: testRoots, digest: AppleIncRoot.digest)
    }

    /// Takes another digest of Apple's root, so that tests can sign as Apple does.
    init(root: Certificate?, testRoots: [Certificate], digest: String) {
        self.root = root
        self.testRoots = testRoots
        self.digest = digest
    }

    /// Verifies a receipt.
    ///
    /// - Parameters:
    ///   - message: The receipt, without base64.
    ///   - bundleID: The app whose receipt it must be; nil for any.
    ///   - deviceID: The bytes of the device's id, for which it must have been made; nil for any.
    /// - Throws: `ReceiptRejection`.
    package func verify(
        _ message: [UInt8], bundleID: String? = nil, deviceID: [UInt8]? = nil
    ) throws(ReceiptRejection) -> VerifiedReceipt {
        let signed = try Self.message(message)
        guard signed.isSignatureValid else {
            throw ReceiptRejection(
                .invalidSignature, field: "signature",
                rule: "must be the signer's over the attributes, with SHA-1 or SHA-2")
        }
        let receipt = try Receipt(content: signed.content)
        let isTest = try isOfTestRoot(signed, at: receipt.createdAt / 1_000)
        try Self.check(receipt, signedUnder: signed.signer)
        guard let environment = isTest ? .test : receipt.environment else {
            throw ReceiptRejection(
                .wrongEnvironment, field: "type 0", rule: "must be Production, or that with VPP, Sandbox or both")
        }
        if let bundleID, !bundleID.utf8.elementsEqual(receipt.bundleID.utf8) {
            throw ReceiptRejection(.unknownApp, field: "type 2", rule: "must be the bundle id asked for")
        }
        if let deviceID, SHA1.digest(receipt.hashed(for: deviceID)) != receipt.hash {
            throw ReceiptRejection(.wrongDevice, field: "type 5", rule: "must be the hash for the device asked for")
        }
        return VerifiedReceipt(receipt, environment: environment)
    }

    private static func message(_ bytes: [UInt8]) throws(ReceiptRejection) -> CMSSignedData {
        guard bytes.count <= CMSSignedData.maximumSize else {
            throw ReceiptRejection(
                .tooLarge, field: "receipt", rule: "must have at most \(CMSSignedData.maximumSize) bytes")
        }
        do throws(CertificateError) {
            return try CMSSignedData(der: bytes)
        } catch {
            throw ReceiptRejection(
                .malformed, field: "receipt", rule: "must be a PKCS #7 message with content, signer and certificates")
        }
    }

    /// Whether a test root stands behind the signer.
    ///
    /// - Parameter seconds: When the receipt was made, in seconds since 1970.
    private func isOfTestRoot(_ signed: CMSSignedData, at seconds: Int64) throws(ReceiptRejection) -> Bool {
        let given = root.map { [$0] } ?? []
        let apples = (signed.certificates + given).filter { AppleIncRoot.hasDigest($0, digest) }
        let chain: [Certificate]
        do throws(CertificateError) {
            chain = try signed.chain(to: apples + testRoots, at: seconds)
        } catch {
            throw untrusted(hasRoot: !apples.isEmpty, error)
        }
        let isOfTestRoot = testRoots.contains { $0.der == chain.last?.der }
        if isOfTestRoot, chain.count == 1 { return true }
        // Without the marks, the certificate of each developer would do: it leads to Apple's root too.
        guard chain.count == 3, chain[0].hasExtension(StoreMarker.leaf) else {
            throw Self.untrusted("the signer must have Apple's extension \(StoreMarker.leaf)")
        }
        guard chain[1].hasExtension(StoreMarker.intermediate) else {
            throw Self.untrusted("the signer's issuer must have Apple's extension \(StoreMarker.intermediate)")
        }
        return isOfTestRoot
    }

    /// The refusal of a chain, with the roots that are missing.
    private func untrusted(hasRoot: Bool, _ error: CertificateError) -> ReceiptRejection {
        var reasons = hasRoot ? [] : ["Apple's (SHA-256 \(digest)) is neither in the receipt nor given"]
        if testRoots.isEmpty { reasons.append("no test root is given") }
        reasons.append(error.description)
        return Self.untrusted(
            "must lead to Apple's root or a test root when the receipt was made: " + reasons.joined(separator: "; "))
    }

    private static func untrusted(_ rule: String) -> ReceiptRejection {
        ReceiptRejection(.untrustedChain, field: "certificates", rule: rule)
    }

    /// Compares the signer's certificate with the transactions.
    private static func check(_ receipt: Receipt, signedUnder signer: Certificate) throws(ReceiptRejection) {
        let end = signer.validity.upperBound
        for (index, purchase) in receipt.purchases.enumerated() where purchase.purchasedAt / 1_000 > end {
            throw ReceiptRejection(
                .certificateExpired, field: "type 1704 of purchase \(index + 1)",
                rule: "must not be after the end of the signer's certificate")
        }
    }
}
