import AdAttribution
import AppStoreData
import StrictJSON

/// Signed data of the App Store that was verified, with the signed data in it.
struct SignedDocument {
    /// What it is: notification, transaction, renewal or app-transaction; else payload.
    let kind: String
    /// Where it happened.
    let environment: AttributionEnvironment
    /// The payload.
    ///
    /// Signed data in it is replaced by what it says.
    let payload: JSONDocument

    /// The parts of a notification, of which it has one, that name app and environment.
    private static let subjects = ["data", "summary", "externalPurchaseToken", "appData"]
    /// The members of these parts that are signed data themselves.
    private static let nested = ["signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo"]

    /// Verifies a text: signed data in compact form, or the body of a notification with it.
    ///
    /// - Parameters:
    ///   - app: The app that it must be of.
    ///   - now: milliseconds since 1970.
    init(_ text: [UInt8], of app: AskedApp, by verifier: SignedDataVerifier, now: Int64) throws(SignedDataError) {
        guard text.first == UInt8(ascii: "{") else {
            try self.init(signed: text, of: app, by: verifier, now: now)
            return
        }
        guard let jws = PayloadMembers(try Self.members(text)).text("signedPayload") else {
            throw SignedDataError(.malformed, field: "signedPayload", rule: "must be a string")
        }
        try self.init(signed: Array(jws.utf8), of: app, by: verifier, now: now)
    }

    /// - Parameter outer: The notification around it; nil if it came alone.
    private init(
        signed jws: [UInt8], of app: AskedApp, inside outer: OuterNotification? = nil, by verifier: SignedDataVerifier,
        now: Int64
    ) throws(SignedDataError) {
        let verified = try verifier.verify(jws, now: now)
        let members = try Self.members(verified.json)
        let all = PayloadMembers(members)
        let subject = Self.subjects.compactMap { all.object($0) }.first ?? all
        guard let stated = subject.environment else {
            throw SignedDataError(.wrongEnvironment, field: "environment", rule: "must be one that Apple has")
        }
        let environment = StoreEnvironmentRule.environment(stated, isOfTestRoot: verified.isOfTestRoot)
        try outer?.check(subject, stated, environment)
        let isNested = outer != nil
        try app.check(
            subject, isNamed: all.isAlwaysNamed || (all.isTransaction && !isNested),
            isNumbered: all.isAlwaysNamed, isInProduction: stated == .production)
        let inside = OuterNotification(bundleID: subject.bundleID, stated: stated, environment: environment)
        var output: [(name: String, value: JSONDocument)] = []
        for (name, value) in members {
            var document = JSONDocument(value.value)
            if Self.subjects.contains(name), case .object(let inner) = value.value {
                var parts: [(name: String, value: JSONDocument)] = []
                for (name, value) in inner {
                    var part = JSONDocument(value.value)
                    if Self.nested.contains(name), case .string(let jws) = value.value {
                        part = try Self.nestedPayload(
                            of: jws, as: name, of: app, inside: inside, by: verifier, now: now)
                    }
                    parts.append((name, part))
                }
                document = .object(parts)
            }
            output.append((name, document))
        }
        kind = all.kind
        self.environment = environment
        payload = .object(output)
    }

    /// What signed data in a notification says; a refusal names the member that has it.
    private static func nestedPayload(
        of jws: String, as name: String, of app: AskedApp, inside outer: OuterNotification,
        by verifier: SignedDataVerifier, now: Int64
    ) throws(SignedDataError) -> JSONDocument {
        do throws(SignedDataError) {
            return try SignedDocument(signed: Array(jws.utf8), of: app, inside: outer, by: verifier, now: now).payload
        } catch {
            throw SignedDataError(error.reason, field: "\(name).\(error.field)", rule: error.rule)
        }
    }

    private static func members(
        _ json: [UInt8]
    ) throws(SignedDataError) -> [(name: String, value: LocatedJSON)] {
        do throws(LocatedJSONError) {
            let object = try LocatedJSON(object: json, maximumDepth: SignedDataVerifier.maximumDepth)
            guard case .object(let members) = object.value else { return [] }
            return members
        } catch {
            throw SignedDataError(.malformed, field: "json", rule: error.rule.rawValue)
        }
    }
}

/// The app that signed data must be of.
struct AskedApp {
    /// The bundle id; nil for any.
    let bundleID: String?
    /// The id in the App Store; nil for any.
    let appID: Int64?

    /// Compares it with what a payload says, as Apple's library does.
    ///
    /// - Parameters:
    ///   - isNamed: Whether the payload must have the bundle id, which renewal info leaves out.
    ///   - isNumbered: Whether it must have the id in the App Store, which transactions leave out.
    ///   - isInProduction: Whether it states production. The id in the App Store is not compared elsewhere.
    fileprivate func check(
        _ payload: PayloadMembers, isNamed: Bool, isNumbered: Bool, isInProduction: Bool
    ) throws(SignedDataError) {
        if let bundleID {
            let stated = payload.bundleID
            guard stated.map({ $0.utf8.elementsEqual(bundleID.utf8) }) ?? !isNamed else {
                throw SignedDataError(.unknownApp, field: "bundleId", rule: "must be the one asked for")
            }
        }
        guard let appID, isInProduction else { return }
        guard payload.integer("appAppleId").map({ $0 == appID }) ?? !isNumbered else {
            throw SignedDataError(.unknownApp, field: "appAppleId", rule: "must be the one asked for")
        }
    }
}

/// What a notification says of itself, which the signed data in it must say too.
private struct OuterNotification {
    /// The app; nil if it names none.
    let bundleID: String?
    /// The environment that it states.
    let stated: StoreEnvironment
    /// The one in which it counts.
    let environment: AttributionEnvironment

    /// Compares it with what a payload inside of it says, as the server does.
    func check(
        _ payload: PayloadMembers, _ stated: StoreEnvironment, _ environment: AttributionEnvironment
    ) throws(SignedDataError) {
        if let inner = payload.bundleID, !inner.utf8.elementsEqual((bundleID ?? "").utf8) {
            throw SignedDataError(.unknownApp, field: "bundleId", rule: "must be that of the notification")
        }
        guard stated == self.stated, environment == self.environment else {
            throw SignedDataError(
                .wrongEnvironment, field: payload.environmentName, rule: "must be that of the notification")
        }
    }
}

/// The members of a payload, by their names.
private struct PayloadMembers {
    private let values: [String: LocatedJSON.Value]

    init(_ members: [(name: String, value: LocatedJSON)]) {
        // Two names of other bytes can be one string of Swift.
        values = Dictionary(members.map { ($0.name, $0.value.value) }) { first, _ in first }
    }

    func text(_ name: String) -> String? {
        guard case .string(let text)? = values[name] else { return nil }
        return text
    }

    func integer(_ name: String) -> Int64? {
        guard case .integer(let integer)? = values[name] else { return nil }
        return integer
    }

    func object(_ name: String) -> PayloadMembers? {
        guard case .object(let members)? = values[name] else { return nil }
        return PayloadMembers(members)
    }

    /// The app; nil if the member is missing or empty.
    var bundleID: String? { text("bundleId").flatMap { $0.isEmpty ? nil : $0 } }

    var kind: String {
        if values["notificationType"] != nil { return "notification" }
        if values["transactionId"] != nil { return "transaction" }
        if values["receiptType"] != nil { return "app-transaction" }
        // Other requests of Apple's name a subscription, too.
        let isRenewal = values["autoRenewStatus"] != nil || values["autoRenewProductId"] != nil
        return values["originalTransactionId"] != nil && isRenewal ? "renewal" : "payload"
    }

    /// Whether it is of a kind that always names the app, in production also by its id in the App Store.
    var isAlwaysNamed: Bool { ["notification", "app-transaction"].contains(kind) }

    /// Whether it is a transaction, which names no app if the notification around it does.
    var isTransaction: Bool { kind == "transaction" }

    /// The member that states the environment.
    var environmentName: String {
        text("environment") == nil && text("receiptType") != nil ? "receiptType" : "environment"
    }

    /// The environment that it states.
    ///
    /// A token for purchases elsewhere states it at the beginning of its id.
    var environment: StoreEnvironment? {
        if let stated = text("environment") ?? text("receiptType") { return StoreEnvironment(rawValue: stated) }
        return text("externalPurchaseId").map { $0.hasPrefix("SANDBOX") ? .sandbox : .production }
    }
}

extension JSONDocument {
    /// What was read, to be written.
    fileprivate init(_ value: LocatedJSON.Value) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let integer): self = .integer(integer)
        case .number(let text): self = .number(text)
        case .boolean(let flag): self = .boolean(flag)
        case .null: self = .null
        case .array(let elements): self = .array(elements.map { JSONDocument($0.value) })
        case .object(let members): self = .object(members.map { (name: $0.name, value: JSONDocument($0.value.value)) })
        }
    }
}
