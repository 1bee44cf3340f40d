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

    private init(
        signed jws: [UInt8], of app: AskedApp, by verifier: SignedDataVerifier, now: Int64
    ) throws(SignedDataError) {
        let verified = try verifier.verify(jws, now: now)
        let members = try Self.members(verified.json)
        let all = PayloadMembers(members)
        let subject = Self.subjects.compactMap { all.object($0) }.first ?? all
        guard let stated = subject.environment else {
            throw SignedDataError(.wrongEnvironment, field: "environment", rule: "must be one that Apple has")
        }
        let environment = StoreEnvironmentRule.environment(stated, isOfTestRoot: verified.isOfTestRoot)
        try app.check(subject, isNumberNeeded: environment == .production && all.isAboutApps)
        var output: [(name: String, value: JSONDocument)] = []
        for (name, value) in members {
            var document = JSONDocument(value.value)
            if Self.subjects.contains(name), case .object(let inner) = value.value {
                var parts: [(name: String, value: JSONDocument)] = []
                for (name, value) in inner {
                    var part = JSONDocument(value.value)
                    if Self.nested.contains(name), case .string(let jws) = value.value {
                        let signed = try SignedDocument(signed: Array(jws.utf8), of: app, by: verifier, now: now)
                        guard signed.environment == environment else {
                            throw SignedDataError(.wrongEnvironment, field: name, rule: "must be that around it")
                        }
                        part = signed.payload
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

    /// Compares it with what a payload says.
    ///
    /// A renewal names no app.
    ///
    /// - Parameter isNumberNeeded: Whether the payload must have the id in the App Store, which the sandbox leaves out.
    fileprivate func check(_ payload: PayloadMembers, isNumberNeeded: Bool) throws(SignedDataError) {
        if let bundleID, let stated = payload.text("bundleId"), !stated.utf8.elementsEqual(bundleID.utf8) {
            throw SignedDataError(.unknownApp, field: "bundleId", rule: "must be the one asked for")
        }
        guard let appID else { return }
        let stated = payload.integer("appAppleId")
        guard stated == appID || (stated == nil && !isNumberNeeded) else {
            throw SignedDataError(.unknownApp, field: "appAppleId", rule: "must be the one asked for")
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

    var kind: String {
        if values["notificationType"] != nil { return "notification" }
        if values["transactionId"] != nil { return "transaction" }
        if values["receiptType"] != nil { return "app-transaction" }
        return values["originalTransactionId"] != nil ? "renewal" : "payload"
    }

    /// Whether it is of a kind that has the app's id in production.
    var isAboutApps: Bool { ["notification", "app-transaction"].contains(kind) }

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
