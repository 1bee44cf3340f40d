import Encodings
import StrictJSON

/// What a body says of itself, for people who look at the quarantine.
///
/// Nobody has verified it.
struct NotificationClaims: Sendable, Equatable {
    /// The members of an object that are strings or objects, as far as it could be read.
    private struct Members {
        private(set) var texts: [String: String] = [:]
        private(set) var objects: [String: [UInt8]] = [:]

        init(_ bytes: [UInt8]) {
            bytes.withUnsafeBufferPointer { buffer in
                var scanner = JSONScanner(buffer, maximumDepth: 32)
                try? scanner.scanDocument { (key, token) throws(JSONError) in
                    let name = JSONToken.text(buffer, key)
                    guard NotificationClaims.names.contains(name) else { return }
                    switch token {
                    case .string(let range): texts[name] = JSONToken.text(buffer, range)
                    case .object(let range): objects[name] = Array(buffer[range])
                    default: break
                    }
                }
            }
        }
    }

    /// The app; nil if it could not be read.
    let bundleID: String?
    /// The type; nil if it could not be read.
    let type: String?

    /// Reads a body of version 1 or 2, or anything else.
    init(_ body: [UInt8]) {
        let outer = Members(body)
        let payload = outer.texts["signedPayload"].flatMap(Self.payload).map(Members.init)
        let data = Self.parts.lazy.compactMap { payload?.objects[$0] }.first.map(Members.init)
        bundleID = (outer.texts["bid"] ?? data?.texts["bundleId"]).flatMap(Self.kept)
        type = (outer.texts["notification_type"] ?? payload?.texts["notificationType"]).flatMap(Self.kept)
    }

    /// The objects of a payload that name the app.
    private static let parts = ["data", "summary", "externalPurchaseToken", "appData"]
    /// The members that are read.
    private static let names = Set(
        parts + ["signedPayload", "notificationType", "bundleId", "bid", "notification_type"])
    /// The greatest number of bytes of a text that is kept.
    private static let limit = 255

    private static func payload(_ jws: String) -> [UInt8]? {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return Array(parts[1].utf8).withUnsafeBufferPointer { Base64.decode($0, .urlSafe) }
    }

    private static func kept(_ text: String) -> String? {
        let isGood =
            1...limit ~= text.utf8.count
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return isGood ? text : nil
    }
}
