import AdAttribution

/// The entries of an app's Info.plist for ad attribution.
///
/// Sources: Apple, StoreKit: "Configuring a source app", "Configuring an advertised app"; AdAttributionKit:
/// "Configuring a publisher app", "Configuring an advertised app".
struct InfoPlistEntries: Codable, Equatable {
    /// One network of SKAdNetwork.
    struct Item: Codable, Equatable {
        let identifier: String

        enum CodingKeys: String, CodingKey {
            case identifier = "SKAdNetworkIdentifier"
        }
    }

    private(set) var items: [Item]?
    private(set) var networks: [String]?
    private(set) var skAdNetworkEndpoint: String?
    private(set) var adAttributionKitEndpoint: String?
    private(set) var reengagementCopies: Bool?
    /// The part of the domain that devices send copies to; nil if there is none.
    private(set) var registrableDomain: String?

    enum CodingKeys: String, CodingKey {
        case items = "SKAdNetworkItems"
        case networks = "AdNetworkIdentifiers"
        case skAdNetworkEndpoint = "NSAdvertisingAttributionReportEndpoint"
        case adAttributionKitEndpoint = "AttributionCopyEndpoint"
        case reengagementCopies = "EligibleForAdAttributionKitReengagementPostbackCopies"
    }

    /// The domain that receives copies; nil if there is none.
    var domain: String? { skAdNetworkEndpoint.map { String($0.dropFirst(Self.scheme.count)) } }

    private static let scheme = "https://"

    /// Adds networks for both protocols.
    ///
    /// - Throws: `FieldError` for one that is wrong, not in lower case, or given twice.
    mutating func add(networks texts: [String]) throws(FieldError) {
        var networks: [String] = []
        for text in texts {
            guard let network = AdNetworkID(text) else {
                throw FieldError(
                    field: "ad-network-id", rule: "must be 1 to 64 characters out of a-z 0-9 . -", value: text)
            }
            guard network.isLowercase else {
                throw FieldError(
                    field: "ad-network-id", rule: "must be in lower case, because devices ignore others", value: text)
            }
            guard !networks.contains(text) else {
                throw FieldError(field: "ad-network-id", rule: "must be given once", value: text)
            }
            networks.append(text)
        }
        guard !networks.isEmpty else { return }
        self.networks = networks
        items = networks.map { Item(identifier: $0) }
    }

    /// Adds the endpoints for copies.
    ///
    /// - Parameter text: A domain, alone or as `https://example.com`.
    /// - Throws: `FieldError` if it is something else.
    mutating func add(copiesDomain text: String, reengagements: Bool) throws(FieldError) {
        var domain = text.hasPrefix(Self.scheme) ? String(text.dropFirst(Self.scheme.count)) : text
        if domain.hasSuffix("/") { domain.removeLast() }
        guard let registrable = SourceDomain(domain)?.registrable else {
            throw FieldError(
                field: "copies-domain",
                rule:
                    "must be a domain in lower case, such as example.com, without path and port, and no public suffix",
                value: text)
        }
        registrableDomain = registrable.text
        skAdNetworkEndpoint = Self.scheme + domain
        adAttributionKitEndpoint = Self.scheme + domain
        if reengagements { reengagementCopies = true }
    }
}
