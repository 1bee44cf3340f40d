import AdAttribution
import AppStoreData
import LocalFiles

/// What the member `app-store` says, and the files that it names.
extension KeyRingReader {
    /// The greatest number of test roots, so that a chain is tried with few.
    private static let maximumTestRoots = 8

    mutating func storeTrust(_ entry: AppStoreEntry) throws(KeyRingError) -> StoreTrust {
        guard !entry.apps.isEmpty else { throw error("app-store.apps", "must name an app") }
        var apps: [StoreApp] = []
        var secrets: [SharedSecret] = []
        for (index, app) in entry.apps.enumerated() {
            let member = "app-store.apps[\(index)]"
            guard Self.isBundleID(app.bundleID) else { throw error(member + ".bundle-id", Self.bundleIDRule) }
            guard !apps.contains(where: { $0.bundleID == app.bundleID }) else {
                throw error(member + ".bundle-id", "each app must stand once")
            }
            guard app.appID.map({ AppID($0) != nil }) ?? true else {
                throw error(member + ".app-id", "must be \(AppID.rule)")
            }
            apps.append(StoreApp(bundleID: app.bundleID, appID: app.appID))
            owner = "app \(app.bundleID)"
            defer { owner = nil }
            if let file = app.sharedSecretFile {
                let secret = try secretLine(file, 16...1_024, member: member + ".shared-secret-file")
                secrets.append(SharedSecret(bundleID: app.bundleID, secret: secret))
            }
        }
        guard entry.testRoots.count <= Self.maximumTestRoots else {
            throw error("app-store.test-roots", "must be at most \(Self.maximumTestRoots)")
        }
        var roots: [Certificate] = []
        for (index, file) in entry.testRoots.enumerated() {
            roots.append(try certificate(file, member: "app-store.test-roots[\(index)]"))
        }
        var accountKey: HMACKey?
        if let file = entry.accountKeyFile {
            accountKey = HMACKey(try secretLine(file, 32...1_024, member: "app-store.account-key-file"))
        }
        return StoreTrust(apps: apps, sharedSecrets: secrets, testRoots: roots, accountKey: accountKey)
    }

    mutating func storeAPI(_ entry: AppStoreEntry) throws(KeyRingError) -> [StoreAPICredentials] {
        var all: [StoreAPICredentials] = []
        for (index, api) in entry.api.enumerated() {
            let member = "app-store.api[\(index)]"
            guard entry.apps.contains(where: { $0.bundleID == api.bundleID }) else {
                throw error(member + ".bundle-id", "must be that of one of the apps")
            }
            guard !all.contains(where: { $0.bundleID == api.bundleID }) else {
                throw error(member + ".bundle-id", "each app must stand once")
            }
            guard Self.isID(api.issuerID) else { throw error(member + ".issuer-id", Self.idRule) }
            guard Self.isID(api.keyID) else { throw error(member + ".key-id", Self.idRule) }
            owner = "app \(api.bundleID)"
            defer { owner = nil }
            all.append(
                StoreAPICredentials(
                    bundleID: api.bundleID, issuerID: api.issuerID, keyID: api.keyID,
                    key: try signingKey(api.privateKey, api.passphraseFile, member: member)))
        }
        return all
    }

    private mutating func certificate(_ file: String, member: String) throws(KeyRingError) -> Certificate {
        let pem = String(decoding: try read(file, trust: .notForAllToWrite, member: member), as: UTF8.self)
        do throws(CertificateError) {
            return try Certificate(pem: pem)
        } catch {
            throw self.error(member, "\(file): \(error)")
        }
    }

    /// The one line of a file with a secret, without its end.
    private mutating func secretLine(
        _ file: String, _ lengths: ClosedRange<Int>, member: String
    ) throws(KeyRingError) -> [UInt8] {
        var line = try read(file, trust: .ownerOnly, member: member)[...]
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard lengths.contains(line.count), line.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            let count = "\(lengths.lowerBound) to \(lengths.upperBound)"
            throw error(member, "\(file) must have one line of \(count) characters of ASCII, without blanks")
        }
        return Array(line)
    }

    private static let bundleIDRule = "must be 1 to 155 of A–Z a–z 0–9 . -"
    private static let idRule = "must be 1 to 64 of A–Z a–z 0–9 -"

    private static func isBundleID(_ text: String) -> Bool {
        (1...155).contains(text.utf8.count) && text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x2D || $0 == 0x2E }
    }

    private static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x2D }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
