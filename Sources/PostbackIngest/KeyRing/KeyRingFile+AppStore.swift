/// The member `app-store` of `keyring.json`.
struct AppStoreEntry: Decodable {
    struct AppEntry: Decodable {
        let bundleID: String
        let appID: Int64?
        let sharedSecretFile: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case bundleID = "bundle-id"
            case appID = "app-id"
            case sharedSecretFile = "shared-secret-file"
        }

        init(from decoder: any Decoder) throws {
            try decoder.refuseUnknownMembers(CodingKeys.self)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            bundleID = try container.decode(String.self, forKey: .bundleID)
            appID = try container.decodeIfPresent(Int64.self, forKey: .appID)
            sharedSecretFile = try container.decodeIfPresent(String.self, forKey: .sharedSecretFile)
        }
    }

    /// A key of App Store Connect for the App Store Server API.
    struct APIEntry: Decodable {
        let bundleID: String
        let issuerID: String
        let keyID: String
        let privateKey: String
        let passphraseFile: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case bundleID = "bundle-id"
            case issuerID = "issuer-id"
            case keyID = "key-id"
            case privateKey = "private-key"
            case passphraseFile = "passphrase-file"
        }

        init(from decoder: any Decoder) throws {
            try decoder.refuseUnknownMembers(CodingKeys.self)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            bundleID = try container.decode(String.self, forKey: .bundleID)
            issuerID = try container.decode(String.self, forKey: .issuerID)
            keyID = try container.decode(String.self, forKey: .keyID)
            privateKey = try container.decode(String.self, forKey: .privateKey)
            passphraseFile = try container.decodeIfPresent(String.self, forKey: .passphraseFile)
        }
    }

    let apps: [AppEntry]
    let testRoots: [String]
    let accountKeyFile: String?
    let api: [APIEntry]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case apps
        case testRoots = "test-roots"
        case accountKeyFile = "account-key-file"
        case api
    }

    init(from decoder: any Decoder) throws {
        try decoder.refuseUnknownMembers(CodingKeys.self)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        apps = try container.decode([AppEntry].self, forKey: .apps)
        testRoots = try container.decodeIfPresent([String].self, forKey: .testRoots) ?? []
        accountKeyFile = try container.decodeIfPresent(String.self, forKey: .accountKeyFile)
        api = try container.decodeIfPresent([APIEntry].self, forKey: .api) ?? []
    }
}
