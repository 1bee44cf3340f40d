import StrictJSON

/// An impression and its signature.
///
/// `isValid(under:)` verifies the signature.
public struct SignedImpression: Sendable {
    /// The impression.
    public let impression: Impression
    /// The signature as ASN.1 DER.
    public let signature: [UInt8]

    /// Signs an impression with the network's private key.
    ///
    /// - Throws: `KeyError` where the key is not on P-256 or libcrypto refuses.
    public init(signing impression: Impression, with key: SigningKey) throws(KeyError) {
        guard key.curve == impression.layout.curve else { throw .wrongCurve }
        self.impression = impression
        signature = try key.signature(of: impression.signedMessage.bytes)
    }

    /// Reads the JSON that `json` writes.
    ///
    /// Without a version it is an impression of 1.0.
    ///
    /// - Throws: `ImpressionError`.
    public init(json: [UInt8]) throws(ImpressionError) {
        (impression, signature) = try json.withUnsafeBufferPointer { (bytes) throws(ImpressionError) in
            let wire = try WireFields.impression(bytes)
            var parameters = try ImpressionParameters(wire, besides: .signature)
            // Every later version signs the version, so its JSON has it.
            parameters.version = parameters.version ?? .v1_0
            do throws(FieldError) {
                return (
                    try Impression(parameters), try wire.required(.signature).signature()
                )
            } catch {
                throw .field(error)
            }
        }
    }

    /// Whether the signature holds under the network's public key.
    public func isValid(under key: VerificationKey) -> Bool {
        key.curve == impression.layout.curve
            && key.isValid(signature: signature, for: impression.signedMessage.bytes)
    }
}

extension SignedImpression {
    /// The signed fields under Apple's wire names in signing order, and `signature`, as one line of JSON.
    ///
    /// Ids, timestamp and fidelity are integers; version, nonce, domains and signature are strings. 1.0 does not sign a
    /// version, so its JSON has none.
    public var json: String {
        String(decoding: jsonBytes, as: UTF8.self)
    }

    /// The bytes of `json`.
    package var jsonBytes: [UInt8] {
        var object = JSONObjectText()
        for field in impression.layout.fields {
            if let value = impression.values[field] { object.append(field.rawValue, value) }
        }
        object.append(ImpressionProof.signature.rawValue, base64: signature)
        return object.finished()
    }
}

extension SignedImpression {
    /// The impression as an app gives it to StoreKit, as one line of JSON.
    ///
    /// A StoreKit-rendered ad has the product parameter keys by their names in StoreKit; the app makes an `NSUUID` of
    /// the nonce. A view-through ad has the properties of `SKAdImpression`. Neither has the fidelity type, because the
    /// API implies it. Numbers are `NSNumber`s. Sources: Apple, "Ad network install-validation keys", "Generating the
    /// signature to validate view-through ads".
    var storeKitJSON: [UInt8] {
        let isViewThrough = impression.fidelityType == .viewThrough
        var object = JSONObjectText()
        for field in impression.layout.fields {
            guard let value = impression.values[field], let names = field.storeKitNames else { continue }
            object.append(isViewThrough ? names.viewThrough : names.rendered, value)
        }
        object.append(
            isViewThrough ? "signature" : "SKStoreProductParameterAdNetworkAttributionSignature", base64: signature)
        return object.finished()
    }
}

extension ImpressionField {
    /// What StoreKit calls the field in a StoreKit-rendered ad and in a view-through ad; nil if it has no place there.
    fileprivate var storeKitNames: (rendered: String, viewThrough: String)? {
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
        case .sourceDomain, .fidelityType, .eligibleForReengagement: nil
        }
    }
}
