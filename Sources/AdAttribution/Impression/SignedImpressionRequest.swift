/// An `ImpressionRequest` that was signed, ready to be written in its form.
public enum SignedImpressionRequest: Sendable {
    /// One impression under Apple's wire names.
    case json(SignedImpression)
    /// One impression for StoreKit.
    case storeKit(SignedImpression)
    /// One ad for OpenRTB.
    case openRTB(SignedImpression, others: [SignedImpression])
    /// One impression of AdAttributionKit.
    case jws(SignedAdAttributionKitImpression)

    /// One JSON object on one line; for `jws` the compact JWS under `jws-string`.
    package var jsonBytes: [UInt8] {
        switch self {
        case .json(let signed): signed.jsonBytes
        case .storeKit(let signed): signed.storeKitJSON
        case .openRTB(let signed, let others): OpenRTBSKAdNetwork.json(signed, others)
        case .jws(let signed): signed.jsonBytes
        }
    }

    /// What the receiver reads, where it is no JSON: the compact JWS by itself.
    public var text: String {
        switch self {
        case .json, .storeKit, .openRTB: String(decoding: jsonBytes, as: UTF8.self)
        case .jws(let signed): signed.compactJWS
        }
    }

    /// What each signature covers.
    public var explanations: [SignatureExplanation] {
        switch self {
        case .json(let signed), .storeKit(let signed): [SignatureExplanation(signed)]
        case .openRTB(let signed, let others): ([signed] + others).map { SignatureExplanation($0) }
        case .jws(let signed): [SignatureExplanation(signed)]
        }
    }
}
