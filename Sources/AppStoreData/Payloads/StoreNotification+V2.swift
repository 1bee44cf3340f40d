import AdAttribution

extension StoreNotification {
    /// Verifies and reads the signed payload of a body.
    init(
        signed envelope: PayloadObject, by verifier: SignedDataVerifier, now: Int64
    ) throws(SignedDataError) {
        guard let jws = try envelope.utf8("signedPayload") else { throw envelope.missing("signedPayload") }
        let verified = try verifier.verify(jws, now: now)
        // What was verified has no character that JSON escapes.
        let kept = Array("{\"signedPayload\":\"".utf8) + jws + Array("\"}".utf8)
        do throws(SignedDataError) {
            try self.init(verified, kept: kept, unknown: envelope.unknownNames, by: verifier, now: now)
        } catch {
            throw error.of(GenuineNotification(verified, kept: kept))
        }
    }

    /// Reads a payload that was verified.
    ///
    /// - Parameter unknown: The unknown members of its body.
    private init(
        _ verified: VerifiedPayload, kept: [UInt8], unknown: [String], by verifier: SignedDataVerifier, now: Int64
    ) throws(SignedDataError) {
        let payload = try PayloadObject(verified.json)
        let subject = try NotificationSubject(payload, of: verified, verifier.trust)
        let inside = NestedData(subject: subject, verifier: verifier, now: now)
        var transactions: [StoreTransaction] = []
        var renewals: [StoreRenewal] = []
        var appTransaction: AppTransaction?
        var unknown = unknown
        if let (object, inner) = try inside.object("signedTransactionInfo", stating: "environment") {
            transactions = [
                try StoreTransaction(object, of: inner, in: subject.environment, bundleID: subject.bundleID)
            ]
            unknown += object.unknownNames.map { "signedTransactionInfo.\($0)" }
        }
        if let (object, inner) = try inside.object("signedRenewalInfo", stating: "environment") {
            renewals = [try StoreRenewal(object, of: inner, in: subject.environment)]
            unknown += object.unknownNames.map { "signedRenewalInfo.\($0)" }
        }
        if let (object, inner) = try inside.object("signedAppTransactionInfo", stating: "receiptType") {
            appTransaction = try AppTransaction(object, of: inner, in: subject.environment)
            unknown += object.unknownNames.map { "signedAppTransactionInfo.\($0)" }
        }
        let id = try payload.uuid("notificationUUID")
        let type = try payload.requiredText("notificationType")
        let subtype = try payload.text("subtype")
        let status = try subject.object.integer("status", StoreRanges.kind)
        payload.know("version", "signedDate")
        subject.object.know(
            "bundleVersion", "consumptionRequestReason", "productId", "requestIdentifier", "storefrontCountryCodes",
            "succeededCount", "failedCount", "externalPurchaseId", "tokenCreationDate")
        self.init(
            version: .v2, id: id, type: type, subtype: subtype, environment: subject.environment,
            bundleID: subject.bundleID, appID: subject.appID, originalTransactionID: nil,
            signedAt: verified.signedAt, status: status, transactions: transactions, renewals: renewals,
            appTransaction: appTransaction,
            unknownMembers: unknown + payload.unknownNames + subject.object.unknownNames, kept: kept)
    }
}

/// The part of a notification that names app and environment, of which it has one: `data`, `summary`,
/// `externalPurchaseToken` or `appData`.
private struct NotificationSubject {
    let object: PayloadObject
    let bundleID: String
    let appID: Int64?
    let stated: StoreEnvironment
    let environment: AttributionEnvironment

    /// Finds it, and checks app and environment as Apple's library does.
    init(_ payload: PayloadObject, of verified: VerifiedPayload, _ trust: StoreTrust) throws(SignedDataError) {
        var found: PayloadObject?
        var isToken = false
        for name in ["data", "summary", "externalPurchaseToken", "appData"] {
            let object = try payload.object(name, path: "")
            guard found == nil, let object else { continue }
            found = object
            isToken = name == "externalPurchaseToken"
        }
        guard let object = found else { throw payload.refusal(.unknownApp, "bundleId", "is missing") }
        self.object = object
        let app = try trust.app(try object.text("bundleId", limit: StoreRanges.name), "bundleId")
        bundleID = app.bundleID
        appID = try object.integer("appAppleId", StoreRanges.appID)
        stated = try isToken ? Self.environment(ofToken: object) : object.environment("environment")
        environment = StoreEnvironmentRule.environment(stated, isOfTestRoot: verified.isOfTestRoot)
        if stated == .production, let known = app.appID, known != appID {
            throw object.refusal(.unknownApp, "appAppleId", "must be \(known), the app of this bundle id")
        }
    }

    /// A token states no environment.
    ///
    /// In the sandbox its id begins so.
    private static func environment(ofToken token: PayloadObject) throws(SignedDataError) -> StoreEnvironment {
        let id = try token.text("externalPurchaseId") ?? ""
        return id.utf8.starts(with: "SANDBOX".utf8) ? .sandbox : .production
    }
}

/// The signed data inside a notification, which must be of the same app and environment.
private struct NestedData {
    let subject: NotificationSubject
    let verifier: SignedDataVerifier
    let now: Int64

    /// Verifies a member; nil if it is missing.
    ///
    /// - Parameter environment: The member that states the environment.
    func object(
        _ name: String, stating environment: String
    ) throws(SignedDataError) -> (PayloadObject, VerifiedPayload)? {
        guard let jws = try subject.object.utf8(name) else { return nil }
        let verified: VerifiedPayload
        do throws(SignedDataError) {
            verified = try verifier.verify(jws, now: now)
        } catch {
            throw SignedDataError(error.reason, field: "\(name).\(error.field)", rule: error.rule)
        }
        let object = try PayloadObject(verified.json, path: "\(name).")
        if let bundleID = try object.text("bundleId", limit: StoreRanges.name),
            !bundleID.utf8.elementsEqual(subject.bundleID.utf8)
        {
            throw object.refusal(.unknownApp, "bundleId", "must be that of the notification")
        }
        let stated = try object.environment(environment)
        let own = StoreEnvironmentRule.environment(stated, isOfTestRoot: verified.isOfTestRoot)
        guard stated == subject.stated, own == subject.environment else {
            throw object.refusal(.wrongEnvironment, environment, "must be that of the notification")
        }
        return (object, verified)
    }
}
