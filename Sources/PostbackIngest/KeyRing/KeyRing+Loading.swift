package import AdAttribution
import Foundation
package import LocalFiles
import StrictJSON

extension KeyRing {
    /// Reads `keyring.json` of a folder and the key files that it names, relative to the folder.
    ///
    /// - Throws: `KeyRingError` for a file that can't be read or is malformed, or that everybody may write. For a private
    ///   key file with a mode beyond 0600, and for a key on a wrong curve. For an unknown member, and for a name that
    ///   occurs twice. For a key of a token that can't be used.
    package init(folder: String) throws(KeyRingError) {
        var files = FileStamps()
        try self.init(folder: folder, noting: &files)
    }

    /// The same, to be read again when a file changes.
    ///
    /// - Parameter files: Where each file is noted before it is read, also if this throws.
    package init(folder: String, noting files: inout FileStamps) throws(KeyRingError) {
        self = try KeyRingFolder(folder, noting: &files).keyRing
    }
}

/// Reads the files of one key ring's folder.
struct KeyRingReader {
    /// The greatest number of bytes of a file.
    private static let maximumFileSize = 1 << 20

    let folder: String
    /// What was read, or was to be.
    private(set) var files = FileStamps()
    /// The network or the app whose files are read, for a message that does not name its file.
    var owner: String?

    init(folder: String) {
        self.folder = folder
    }

    private var path: String { folder + "/keyring.json" }

    func error(_ member: String?, _ rule: String) -> KeyRingError {
        KeyRingError(file: path, member: member, rule: rule)
    }

    /// The key ring of a file, and of the keys that it names.
    mutating func keyRing(_ file: KeyRingFile) throws(KeyRingError) -> KeyRing {
        var networks: [KeyRing.Network] = []
        for (index, network) in file.networks.enumerated() {
            networks.append(try self.network(network, member: "networks[\(index)]"))
        }
        var apps: [AppID] = []
        for (index, app) in file.developerApps.enumerated() {
            guard let id = AppID(app) else { throw error("developer-apps[\(index)]", "must be \(AppID.rule)") }
            apps.append(id)
        }
        var keys: [PostbackKey] = []
        for (index, key) in file.postbackKeys.enumerated() {
            keys.append(try postbackKey(key, member: "postback-keys[\(index)]"))
        }
        do throws(FieldError) {
            return try KeyRing(networks: networks, developerApps: apps, postbackKeys: keys)
        } catch {
            throw self.error(error.field, error.rule + (error.value.map { ", not \($0)" } ?? ""))
        }
    }

    mutating func readKeyRing() throws(KeyRingError) -> KeyRingFile {
        files.note(path)
        let json: [UInt8]
        do throws(FileError) {
            json = try RegularFile.bytes(path, atMost: Self.maximumFileSize, trust: .notForAllToWrite)
        } catch {
            throw self.error(nil, "\(error)")
        }
        try checkStrictly(json)
        do {
            return try JSONDecoder().decode(KeyRingFile.self, from: Data(json))
        } catch let decoding as DecodingError {
            throw error(Self.place(of: decoding), Self.rule(of: decoding))
        } catch {
            throw self.error(nil, "is not JSON")
        }
    }

    /// Checks the JSON by our own reader, which names lines.
    ///
    /// Of two members with the same name Foundation takes one, and does not say which.
    private func checkStrictly(_ bytes: [UInt8]) throws(KeyRingError) {
        let json: LocatedJSON
        do throws(LocatedJSONError) {
            json = try LocatedJSON(object: bytes, maximumDepth: 4)
        } catch {
            let rule = error.name.map { "\(JSONText.shown($0)) stands twice in its object" } ?? error.rule.rawValue
            throw self.error(nil, "line \(error.line): \(rule)")
        }
        try checkAppIDs(json, member: "")
    }

    /// Refuses an id of an app that is no integer of 64 bits, of which Foundation does not say where it stands.
    private func checkAppIDs(_ json: LocatedJSON, member: String) throws(KeyRingError) {
        switch json.value {
        case .object(let members):
            for (name, value) in members {
                try checkAppIDs(value, member: member.isEmpty ? name : member + "." + name)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                try checkAppIDs(element, member: member + "[\(index)]")
            }
        case .number:
            let isAppOfStore = member.hasPrefix("app-store.apps[") && member.hasSuffix(".app-id")
            guard !isAppOfStore, !member.hasPrefix("developer-apps[") else {
                throw error(member, "must be \(AppID.rule)")
            }
        default: break
        }
    }

    mutating func network(
        _ network: KeyRingFile.NetworkEntry, member: String
    ) throws(KeyRingError) -> KeyRing.Network {
        guard let id = AdNetworkID(network.adNetworkID) else {
            throw error(member + ".ad-network-id", "must be \(AdNetworkID.rule)")
        }
        owner = "network \(id.text)"
        defer { owner = nil }
        guard let privateKey = network.privateKey else {
            guard network.passphraseFile == nil else {
                throw error(member + ".passphrase-file", "must stand with a private-key")
            }
            guard network.otherKey == nil else { throw error(member + ".other-key", "must stand with a private-key") }
            return KeyRing.Network(adNetworkID: id, signingKey: nil)
        }
        let key = try signingKey(privateKey, network.passphraseFile, member: member)
        var other: VerificationKey?
        if let entry = network.otherKey { other = try otherKey(entry, member: member + ".other-key") }
        return KeyRing.Network(adNetworkID: id, signingKey: key, otherKey: other)
    }

    /// The public half of a network's second key.
    ///
    /// If the private key is named, it is read, too: so it is known to be good before it signs.
    private mutating func otherKey(
        _ entry: KeyRingFile.OtherKeyEntry, member: String
    ) throws(KeyRingError) -> VerificationKey {
        switch (entry.privateKey, entry.publicKey) {
        case (let privateKey?, nil):
            return try signingKey(privateKey, entry.passphraseFile, member: member).publicKey
        case (nil, let publicKey?):
            guard entry.passphraseFile == nil else {
                throw error(member + ".passphrase-file", "must stand with a private-key")
            }
            return try verificationKey(publicKey, member: member + ".public-key")
        default: throw error(member, "must have private-key or public-key, one of them")
        }
    }

    /// The private key of a member `private-key`, with what opens it.
    mutating func signingKey(
        _ text: String, _ passphraseFile: String?, member: String
    ) throws(KeyRingError) -> SigningKey {
        var passphrase: Passphrase?
        if let passphraseFile { passphrase = try self.passphrase(passphraseFile, member: member + ".passphrase-file") }
        let member = member + ".private-key"
        guard let location = PrivateKeyLocation(text) else { throw error(member, TokenKeyURI.rule) }
        switch location {
        case .file(let file):
            let pem = String(decoding: try read(file, trust: .ownerOnly, member: member), as: UTF8.self)
            do throws(KeyError) {
                return try SigningKey(pem: pem, passphrase: passphrase)
            } catch {
                throw self.error(member, "\(file): \(error)")
            }
        case .token(let uri):
            do throws(KeyError) {
                return try SigningKey(uri, pin: passphrase)
            } catch {
                throw self.error(member, "\(error)")
            }
        }
    }

    private mutating func passphrase(_ file: String, member: String) throws(KeyRingError) -> Passphrase {
        guard let passphrase = Passphrase(file: try read(file, trust: .ownerOnly, member: member)) else {
            throw error(member, "\(file) \(Passphrase.rule)")
        }
        return passphrase
    }

    private mutating func verificationKey(_ file: String, member: String) throws(KeyRingError) -> VerificationKey {
        let text = String(decoding: try read(file, trust: .notForAllToWrite, member: member), as: UTF8.self)
        do throws(KeyError) {
            return try VerificationKey(text)
        } catch {
            throw self.error(member, "\(file): \(error)")
        }
    }

    mutating func postbackKey(_ key: KeyRingFile.PostbackKeyEntry, member: String) throws(KeyRingError) -> PostbackKey {
        guard let environment = AttributionEnvironment(rawValue: key.environment) else {
            throw error(member + ".environment", "must be development or test")
        }
        let publicKey = try verificationKey(key.publicKey, member: member + ".public-key")
        do {
            return try PostbackKey(name: key.name, environment: environment, key: publicKey)
        } catch {
            throw self.error(member + "." + error.field, error.rule)
        }
    }

    /// The bytes of a file that a member names.
    mutating func read(
        _ file: String, trust: FileTrust, member: String
    ) throws(KeyRingError) -> [UInt8] {
        let owner = self.owner.map { " (\($0))" } ?? ""
        guard let named = NamedFile(file, in: folder) else { throw error(member, NamedFile.rule + owner) }
        // A secret of Kubernetes is a symbolic link.
        files.note(named.path)
        do throws(FileError) {
            return try RegularFile.bytes(named.path, atMost: Self.maximumFileSize, trust: trust)
        } catch {
            guard let shown = named.shown else { throw self.error(member, "\(NamedFile.hidden) \(error)\(owner)") }
            throw self.error(member, "\(JSONText.line(shown)) \(error)")
        }
    }

    private static func place(of error: DecodingError) -> String? {
        let path: [any CodingKey]
        switch error {
        case .keyNotFound(let key, let context): path = context.codingPath + [key]
        case .typeMismatch(_, let context), .valueNotFound(_, let context): path = context.codingPath
        case .dataCorrupted(let context): path = context.codingPath
        @unknown default: path = []
        }
        guard !path.isEmpty else { return nil }
        return path.reduce("") { text, key in
            if let index = key.intValue { return text + "[\(index)]" }
            let name = JSONText.shown(key.stringValue)
            return text.isEmpty ? name : text + "." + name
        }
    }

    private static func rule(of error: DecodingError) -> String {
        switch error {
        case .keyNotFound: "is missing"
        case .typeMismatch(let type, _): "must be a \(type)"
        case .valueNotFound: "must not be null"
        case .dataCorrupted(let context):
            // What Foundation says may have the value.
            context.debugDescription == MemberName.unknown ? MemberName.unknown : "is not as it must be"
        @unknown default: "is not as it must be"
        }
    }
}

/// Why a key ring can't be used: one line with the file, the member and the rule.
///
/// It contains no part of a key, also if a key stands where the name of its file belongs.
package struct KeyRingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The wrong file.
    package let file: String
    /// The wrong member of `keyring.json`; nil if the whole file is wrong.
    package let member: String?
    /// The rule that was broken.
    package let rule: String

    /// File, member and rule in one line.
    package var description: String {
        guard let member else { return "key ring: \(JSONText.line(file)): \(rule)" }
        return "key ring: \(JSONText.line(file)): \(member): \(rule)"
    }
}
