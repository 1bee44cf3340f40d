package import AdAttribution

/// A root, an authority and a signer of receipts with Apple's marks, under new keys.
package struct ReceiptAuthority: Sendable {
    /// The first and the last second of all three: from 2020 to 2030.
    package static let validity: ClosedRange<Int64> = 1_577_836_800...1_893_456_000
    /// Apple's mark of a signer.
    package static let signerMark = "1.2.840.113635.100.6.11.1"
    /// Apple's mark of the authority that issues signers.
    package static let authorityMark = "1.2.840.113635.100.6.2.1"

    /// What must be trusted.
    package let root: Certificate
    /// The authority under it.
    package let authority: Certificate
    /// Who signs receipts.
    package let signer: Certificate
    private let key: SigningKey

    /// Makes keys and certificates.
    ///
    /// - Parameter end: The last second of the signer.
    package init(
        signerMarks: [String] = [ReceiptAuthority.signerMark],
        authorityMarks: [String] = [ReceiptAuthority.authorityMark],
        end: Int64 = ReceiptAuthority.validity.upperBound
    ) throws {
        let (first, last) = (Self.validity.lowerBound, Self.validity.upperBound)
        let keys = try (SigningKey.generate(), SigningKey.generate())
        key = try SigningKey.generate()
        root = try CertificateMaker.make(
            subject: "Root", key: keys.0, issuedBy: nil, isAuthority: true, validFrom: first, validTo: last)
        authority = try CertificateMaker.make(
            subject: "Authority", key: keys.1, issuedBy: (root, keys.0), marker: authorityMarks, isAuthority: true,
            validFrom: first, validTo: last, serial: 2)
        signer = try CertificateMaker.make(
            subject: "Signer", key: key, issuedBy: (authority, keys.1), marker: signerMarks, isAuthority: false,
            validFrom: first, validTo: end, serial: 3)
    }

    /// Signs the content of a receipt.
    ///
    /// - Parameter others: The certificates beside the signer's; nil for authority and root.
    package func sign(_ content: [UInt8], with others: [Certificate]? = nil) throws -> [UInt8] {
        try CMSSignedData.sign(
            content: content, certificate: signer, key: key, otherCertificates: others ?? [authority, root])
    }
}
