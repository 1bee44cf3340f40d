import Testing

@testable import AdAttribution

extension KeyRing {
    /// A ring of these networks, developer apps and test keys.
    static func of(
        networks: [String] = ["com.example"], apps: [Int64] = [], keys: [PostbackKey] = []
    ) throws -> KeyRing {
        try KeyRing(
            networks: networks.map { Network(adNetworkID: try #require(AdNetworkID($0)), signingKey: nil) },
            developerApps: apps.map { try #require(AppID($0)) },
            postbackKeys: keys)
    }
}

extension PostbackVerifier {
    /// The refusal of a postback; nil if it verifies.
    func rejection(of postback: Postback) -> PostbackRejection? {
        do throws(PostbackRejection) {
            _ = try verify(postback)
            return nil
        } catch {
            return error
        }
    }
}
