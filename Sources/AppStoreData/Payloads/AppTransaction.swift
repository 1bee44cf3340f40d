package import AdAttribution

/// The purchase or download of an app, as Apple signs it for the device.
///
/// The ids of customer and device in it are not read.
/// Source: Apple, StoreKit, `AppTransaction`.
package struct AppTransaction: Sendable, Equatable {
    /// Where it counts.
    package let environment: AttributionEnvironment
    /// The app.
    package let bundleID: String
    /// The App Store's number of the app.
    package let appID: Int64?
    /// The version of the app that asked for it.
    package let applicationVersion: String?
    /// The version that the customer got first.
    package let originalApplicationVersion: String?
    /// When the customer got the app first, in milliseconds since 1970.
    package let originallyPurchasedAt: Int64?
    /// When the customer ordered the app before it was out, in milliseconds since 1970.
    package let preorderedAt: Int64?
    /// The platform on which the customer got the app first.
    package let originalPlatform: String?
    /// When Apple made this, in milliseconds since 1970.
    package let signedAt: Int64

    /// Reads a signed app transaction.
    ///
    /// It is for the caller to check that the app is one of the installation.
    /// - Throws: The first member that broke a rule.
    package init(_ verified: VerifiedPayload) throws(SignedDataError) {
        let object = try PayloadObject(verified.json)
        let environment = StoreEnvironmentRule.environment(
            try object.environment("receiptType"), isOfTestRoot: verified.isOfTestRoot)
        try self.init(object, of: verified, in: environment)
    }

    /// Reads the members of a signed app transaction.
    init(
        _ object: PayloadObject, of verified: VerifiedPayload, in environment: AttributionEnvironment
    ) throws(SignedDataError) {
        self.environment = environment
        signedAt = verified.signedAt
        bundleID = try object.requiredText("bundleId", limit: StoreRanges.name)
        appID = try object.integer("appAppleId", StoreRanges.appID)
        applicationVersion = try object.text("applicationVersion")
        originalApplicationVersion = try object.text("originalApplicationVersion")
        originallyPurchasedAt = try object.time("originalPurchaseDate")
        preorderedAt = try object.time("preorderDate")
        originalPlatform = try object.text("originalPlatform")
        object.know(
            "receiptType", "receiptCreationDate", "requestDate", "signedDate", "versionExternalIdentifier",
            "deviceVerification", "deviceVerificationNonce", "appTransactionId")
    }
}
