import Foundation

/// The members of `keyring.json`.
///
/// The key files are not read yet.
struct KeyRingFile: Decodable {
    struct NetworkEntry: Decodable {
        let adNetworkID: String
        let privateKey: String?
        let passphraseFile: String?
        let otherKey: OtherKeyEntry?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case adNetworkID = "ad-network-id"
            case privateKey = "private-key"
            case passphraseFile = "passphrase-file"
            case otherKey = "other-key"
        }

        init(from decoder: any Decoder) throws {
            try decoder.refuseUnknownMembers(CodingKeys.self)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            adNetworkID = try container.decode(String.self, forKey: .adNetworkID)
            privateKey = try container.decodeIfPresent(String.self, forKey: .privateKey)
            passphraseFile = try container.decodeIfPresent(String.self, forKey: .passphraseFile)
            otherKey = try container.decodeIfPresent(OtherKeyEntry.self, forKey: .otherKey)
        }
    }

    /// The second key of a network: one that signs next, or the public half of one that signed before.
    struct OtherKeyEntry: Decodable {
        let privateKey: String?
        let passphraseFile: String?
        let publicKey: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case privateKey = "private-key"
            case passphraseFile = "passphrase-file"
            case publicKey = "public-key"
        }

        init(from decoder: any Decoder) throws {
            try decoder.refuseUnknownMembers(CodingKeys.self)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            privateKey = try container.decodeIfPresent(String.self, forKey: .privateKey)
            passphraseFile = try container.decodeIfPresent(String.self, forKey: .passphraseFile)
            publicKey = try container.decodeIfPresent(String.self, forKey: .publicKey)
        }
    }

    struct PostbackKeyEntry: Decodable {
        let name: String
        let environment: String
        let publicKey: String

        enum CodingKeys: String, CodingKey, CaseIterable {
            case name
            case environment
            case publicKey = "public-key"
        }

        init(from decoder: any Decoder) throws {
            try decoder.refuseUnknownMembers(CodingKeys.self)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            environment = try container.decode(String.self, forKey: .environment)
            publicKey = try container.decode(String.self, forKey: .publicKey)
        }
    }

    let networks: [NetworkEntry]
    let developerApps: [Int64]
    let postbackKeys: [PostbackKeyEntry]
    let appStore: AppStoreEntry?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case networks
        case developerApps = "developer-apps"
        case postbackKeys = "postback-keys"
        case appStore = "app-store"
    }

    init(from decoder: any Decoder) throws {
        try decoder.refuseUnknownMembers(CodingKeys.self)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        networks = try container.decodeIfPresent([NetworkEntry].self, forKey: .networks) ?? []
        developerApps = try container.decodeIfPresent([Int64].self, forKey: .developerApps) ?? []
        postbackKeys = try container.decodeIfPresent([PostbackKeyEntry].self, forKey: .postbackKeys) ?? []
        appStore = try container.decodeIfPresent(AppStoreEntry.self, forKey: .appStore)
    }
}

/// The name of any member, to find unknown ones.
struct MemberName: CodingKey {
    /// What is wrong with an unknown member.
    static let unknown = "is not a member that is known here"

    let stringValue: String
    var intValue: Int? { nil }

    init?(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}

extension Decoder {
    /// Throws if an object has an unknown member, because it is probably misspelt.
    func refuseUnknownMembers<Known: CodingKey & CaseIterable>(_ known: Known.Type) throws {
        let names = Set(Known.allCases.map(\.stringValue))
        let container = try container(keyedBy: MemberName.self)
        for member in container.allKeys where !names.contains(member.stringValue) {
            throw DecodingError.dataCorruptedError(
                forKey: member, in: container, debugDescription: MemberName.unknown)
        }
    }
}
