/// A payload whose signature and chain were verified.
///
/// Only `SignedDataVerifier` makes one.
package struct VerifiedPayload: Sendable {
    /// The payload, one JSON object, as it was signed.
    package let json: [UInt8]
    /// `signedDate`, or `receiptCreationDate` of an app transaction: milliseconds since 1970.
    package let signedAt: Int64
    /// Whether the chain ends in a root of tests, and not in one of Apple's.
    package let isOfTestRoot: Bool

    init(_ signed: SignedData, under chain: ProvenChain) {
        json = signed.payload
        signedAt = signed.signedAt
        isOfTestRoot = chain.isOfTestRoot
    }
}
