/// The forms in which a signed impression is written.
public enum ImpressionFormat: String, Sendable, CaseIterable {
    /// The signed fields with Apple's wire names, and the signature.
    case json
    /// What an app gives to StoreKit.
    case storeKit = "storekit"
    /// `ext.skadn` of an OpenRTB bid response, SKAdNetwork 2.0 to 4.0.
    case openRTB = "openrtb"
    /// The compact JWS of AdAttributionKit.
    case jws
}

/// An impression to be signed, with all fields that its form needs.
public enum ImpressionRequest: Sendable {
    /// One impression under Apple's wire names.
    case json(Impression)
    /// One impression for StoreKit, with tokens that are not signed.
    case storeKit(Impression, StoreTokens)
    /// One ad for OpenRTB: an impression for each fidelity type, or the only one up to 2.1.
    case openRTB(Impression, others: [Impression])
    /// One impression of AdAttributionKit.
    case jws(AdAttributionKitImpression)

    /// Completes the parameters and checks them against the form.
    ///
    /// A missing timestamp is `now`, and a missing nonce is a new one. A missing fidelity type means both in OpenRTB,
    /// each signed separately, and a StoreKit-rendered ad in StoreKit.
    /// - Throws: `FieldError` for the first field that is missing or not allowed.
    public init(
        _ parameters: ImpressionParameters, format: ImpressionFormat, now: MillisecondTimestamp,
        makeNonce: () -> Nonce
    ) throws(FieldError) {
        if let domain = parameters.sourceDomain, domain.registrable == nil {
            throw FieldError(
                field: ImpressionField.sourceDomain.name, rule: "must be \(SourceDomain.networkRule)",
                value: domain.text)
        }
        let tokens = parameters.tokens
        for (field, _) in tokens.values where format != .storeKit {
            throw FieldError(
                field: field.name, rule: "has a place only in the form \(ImpressionFormat.storeKit.rawValue)")
        }
        var parameters = parameters
        parameters.removeTokens()
        // A change copies all values, so there is none without need.
        if !parameters.has(.timestamp) { parameters.timestamp = now }
        func completed(_ fidelityType: FidelityType? = nil) -> ImpressionParameters {
            var completed = parameters
            if !completed.has(.nonce) { completed.nonce = makeNonce() }
            if let fidelityType, !completed.has(.fidelityType) { completed.fidelityType = fidelityType }
            return completed
        }
        let version = parameters.version ?? Impression.defaultVersion
        // A web ad has only one fidelity type. OpenRTB and StoreKit refuse it because it is a web ad.
        let lacksFidelity =
            !parameters.has(.fidelityType) && !parameters.has(.sourceDomain)
            && ImpressionVersions.skAdNetwork[version]?.signs(.fidelityType) == true
        switch format {
        case .json: self = .json(try Impression(completed()))
        case .storeKit:
            let impression = try Impression(completed(lacksFidelity ? .storeKitRendered : nil))
            guard impression.source?.domain == nil else {
                throw FieldError(
                    field: ImpressionField.sourceDomain.name,
                    rule: "has no place in StoreKit, whose ads are shown in apps")
            }
            for (field, _) in tokens.values where impression.fidelityType == .viewThrough {
                throw FieldError(
                    field: field.name, rule: "has no place in a view-through ad, which opens no store page")
            }
            self = .storeKit(impression, tokens)
        case .openRTB:
            let first = try Impression(completed(lacksFidelity ? .viewThrough : nil))
            try OpenRTBSKAdNetwork.check(first)
            self = .openRTB(first, others: lacksFidelity ? [try Impression(completed(.storeKitRendered))] : [])
        case .jws: self = .jws(try AdAttributionKitImpression(completed()))
        }
    }

    /// Signs with the network's private key.
    ///
    /// - Throws: `KeyError` where the key is not on P-256 or libcrypto refuses.
    public func signed(with key: SigningKey) throws(KeyError) -> SignedImpressionRequest {
        switch self {
        case .json(let impression): return .json(try SignedImpression(signing: impression, with: key))
        case .storeKit(let impression, let tokens):
            return .storeKit(try SignedImpression(signing: impression, with: key), tokens)
        case .openRTB(let impression, let others):
            var signed: [SignedImpression] = []
            for other in others { signed.append(try SignedImpression(signing: other, with: key)) }
            return .openRTB(try SignedImpression(signing: impression, with: key), others: signed)
        case .jws(let impression):
            return .jws(try SignedAdAttributionKitImpression(signing: impression, with: key))
        }
    }

    /// The network that signs.
    public var adNetworkID: AdNetworkID {
        switch self {
        case .json(let impression), .storeKit(let impression, _), .openRTB(let impression, _): impression.adNetworkID
        case .jws(let impression): impression.adNetworkIdentifier
        }
    }

    /// The version of SKAdNetwork, or nil for AdAttributionKit.
    public var version: SKAdNetworkVersion? {
        switch self {
        case .json(let impression), .storeKit(let impression, _), .openRTB(let impression, _): impression.version
        case .jws: nil
        }
    }
}

/// A signed `ImpressionRequest`, which can be written in its form.
public enum SignedImpressionRequest: Sendable {
    /// One impression under Apple's wire names.
    case json(SignedImpression)
    /// One impression for StoreKit, with tokens that are not signed.
    case storeKit(SignedImpression, StoreTokens)
    /// One ad for OpenRTB.
    case openRTB(SignedImpression, others: [SignedImpression])
    /// One impression of AdAttributionKit.
    case jws(SignedAdAttributionKitImpression)

    /// One JSON object on one line; for `jws` the compact JWS under `jws-string`.
    package var jsonBytes: [UInt8] {
        switch self {
        case .json(let signed): signed.jsonBytes
        case .storeKit(let signed, let tokens): StoreKitImpression.json(signed, tokens)
        case .openRTB(let signed, let others): OpenRTBSKAdNetwork.json(signed, others)
        case .jws(let signed): signed.jsonBytes
        }
    }

    /// The text for the receiver: one line of JSON, or the compact JWS alone.
    public var text: String {
        switch self {
        case .json, .storeKit, .openRTB: String(decoding: jsonBytes, as: UTF8.self)
        case .jws(let signed): signed.compactJWS
        }
    }

    /// What each signature covers.
    public var explanations: [SignatureExplanation] {
        switch self {
        case .json(let signed), .storeKit(let signed, _): [SignatureExplanation(signed)]
        case .openRTB(let signed, let others): ([signed] + others).map { SignatureExplanation($0) }
        case .jws(let signed): [SignatureExplanation(signed)]
        }
    }
}
