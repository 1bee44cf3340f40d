import StrictJSON

/// An impression as an app gives it to StoreKit, as one JSON object.
///
/// A StoreKit-rendered ad has the product parameter keys by their names in StoreKit; the app makes an `NSUUID` of the
/// nonce. A view-through ad has the properties of `SKAdImpression`. Neither has the fidelity type, because the API
/// implies it. Numbers are `NSNumber`s. Sources: Apple, "Ad network install-validation keys", "Generating the signature
/// to validate view-through ads".
package enum StoreKitImpression {
    /// One of the two APIs.
    enum API: Sendable {
        /// Product parameters.
        case rendered
        /// `SKAdImpression`.
        case viewThrough
    }

    /// A key of one of the APIs.
    enum Member: Sendable, Equatable {
        case field(ImpressionField)
        case signature
        /// A key that has nothing to do with the signature.
        case unsigned
    }

    /// All names that a signed impression may have, by API.
    package static let names: [[String]] = [API.rendered, .viewThrough].map { api in
        ImpressionField.allCases.compactMap { $0.storeKitName(api) } + [api.signature]
    }

    /// Writes a signed impression.
    static func json(_ signed: SignedImpression, _ tokens: StoreTokens) -> [UInt8] {
        let impression = signed.impression
        let api = impression.fidelityType == .viewThrough ? API.viewThrough : .rendered
        var object = JSONObjectText()
        for field in impression.layout.fields {
            guard let value = impression.values[field], let name = field.storeKitName(api) else { continue }
            object.append(name, value)
        }
        for (field, token) in tokens.values {
            field.storeKitName(api).map { object.append($0, token.text) }
        }
        object.append(api.signature, base64: signed.signature)
        return object.finished()
    }

    /// Reads what `json` writes.
    ///
    /// Other keys of the API are ignored, for example those of the product page; unknown ones are refused.
    ///
    /// - Throws: `ImpressionError`.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>, _ api: API) throws(ImpressionError) -> SignedImpression {
        let wire = try WireFields<Member>.members(bytes, names: api.names, maximumDepth: 2)
        do throws(FieldError) {
            if let key = wire.unknownKey {
                throw FieldError(field: JSONText.shown(key), rule: "is not a key of \(api.place)")
            }
            var parameters = ImpressionParameters()
            var signature: [UInt8]?
            for (member, token) in wire.members {
                switch member {
                case .field(let field):
                    let name = field.storeKitName(api) ?? field.rawValue
                    parameters[field] = try WireToken(token: token, name: name, bytes: bytes).value(field.kind)
                case .signature:
                    signature = try WireToken(token: token, name: api.signature, bytes: bytes).signature()
                case .unsigned: break
                }
            }
            parameters.removeTokens()
            // Every later version signs the version, so the app gives it to StoreKit.
            let version = parameters.version ?? .v1_0
            parameters.version = version
            if ImpressionVersions.skAdNetwork[version]?.signs(.fidelityType) == true {
                parameters.fidelityType = api == .viewThrough ? .viewThrough : .storeKitRendered
            } else if api == .viewThrough {
                throw FieldError(
                    field: ImpressionField.version.name, rule: "must be 2.2 or later for a view-through ad",
                    value: version.description)
            }
            let impression = try Impression(parameters)
            guard let signature else { throw FieldError(field: api.signature, rule: "is missing") }
            return SignedImpression(impression, signature: signature)
        } catch {
            throw .field(error)
        }
    }
}

extension StoreKitImpression.API {
    /// The key of the signature.
    var signature: String {
        switch self {
        case .rendered: "SKStoreProductParameterAdNetworkAttributionSignature"
        case .viewThrough: "signature"
        }
    }

    /// What the keys belong to.
    fileprivate var place: String {
        switch self {
        case .rendered: "StoreKit's product parameters"
        case .viewThrough: "SKAdImpression"
        }
    }

    /// All keys.
    fileprivate var names: WireFieldNames<StoreKitImpression.Member> {
        switch self {
        case .rendered: Self.renderedNames
        case .viewThrough: Self.viewThroughNames
        }
    }

    private static let renderedNames = names(
        .rendered,
        unsigned: ["AffiliateToken", "AdvertisingPartnerToken", "CustomProductPageIdentifier", "ProductIdentifier"].map
        {
            "SKStoreProductParameter\($0)"
        })

    private static let viewThroughNames = names(
        .viewThrough, unsigned: ["adType", "adDescription", "adPurchaserName"])

    private static func names(
        _ api: Self, unsigned: [String]
    ) -> WireFieldNames<StoreKitImpression.Member> {
        var names: [(StoreKitImpression.Member, String)] = [(.signature, api.signature)]
        for field in ImpressionField.allCases { field.storeKitName(api).map { names.append((.field(field), $0)) } }
        return WireFieldNames(names + unsigned.map { (.unsigned, $0) })
    }
}

extension ImpressionField {
    /// What StoreKit calls the field; nil if it has no place there.
    func storeKitName(_ api: StoreKitImpression.API) -> String? {
        storeKitNames.flatMap { api == .rendered ? $0.rendered : $0.viewThrough }
    }

    private var storeKitNames: (rendered: String, viewThrough: String?)? {
        switch self {
        case .version: ("SKStoreProductParameterAdNetworkVersion", "version")
        case .adNetworkID: ("SKStoreProductParameterAdNetworkIdentifier", "adNetworkIdentifier")
        case .campaignID: ("SKStoreProductParameterAdNetworkCampaignIdentifier", "adCampaignIdentifier")
        case .sourceIdentifier: ("SKStoreProductParameterAdNetworkSourceIdentifier", "sourceIdentifier")
        case .itunesItemID: ("SKStoreProductParameterITunesItemIdentifier", "advertisedAppStoreItemIdentifier")
        case .nonce: ("SKStoreProductParameterAdNetworkNonce", "adImpressionIdentifier")
        case .sourceAppID:
            ("SKStoreProductParameterAdNetworkSourceAppStoreIdentifier", "sourceAppStoreItemIdentifier")
        case .timestamp: ("SKStoreProductParameterAdNetworkTimestamp", "timestamp")
        case .campaignToken: ("SKStoreProductParameterCampaignToken", nil)
        case .providerToken: ("SKStoreProductParameterProviderToken", nil)
        case .sourceDomain, .fidelityType, .eligibleForReengagement: nil
        }
    }
}
