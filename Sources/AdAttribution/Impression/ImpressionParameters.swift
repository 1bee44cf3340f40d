/// The fields of an impression before they are held against a version: each is right by itself, any may be missing.
///
/// They go by SKAdNetwork's names for both frameworks, so that one request can be signed for either.
public struct ImpressionParameters: Sendable, Equatable {
    /// `version`; 4.0 where it is left out.
    public var version: SKAdNetworkVersion?
    /// `ad-network-id`.
    public var adNetworkID: AdNetworkID?
    /// `campaign-id`, up to 3.0.
    public var campaignID: CampaignID?
    /// `source-identifier`, from 4.0 on.
    public var sourceIdentifier: SourceIdentifier?
    /// `itunes-item-id`: the advertised app.
    public var itunesItemID: AppID?
    /// `nonce`.
    public var nonce: Nonce?
    /// `source-app-id`: the app that shows the ad.
    public var sourceAppID: AppID?
    /// `source-domain`: the domain of a web ad.
    public var sourceDomain: SourceDomain?
    /// `fidelity-type`, from 2.2 on.
    public var fidelityType: FidelityType?
    /// `timestamp`.
    public var timestamp: MillisecondTimestamp?

    /// `eligible-for-re-engagement`, AdAttributionKit only.
    public var eligibleForReengagement: Bool?

    /// No field yet.
    public init() {}

    /// The fields that are set.
    var present: [WireField] {
        var fields: [WireField] = []
        if version != nil { fields.append(.version) }
        if adNetworkID != nil { fields.append(.adNetworkID) }
        if campaignID != nil { fields.append(.campaignID) }
        if sourceIdentifier != nil { fields.append(.sourceIdentifier) }
        if itunesItemID != nil { fields.append(.itunesItemID) }
        if nonce != nil { fields.append(.nonce) }
        if sourceAppID != nil { fields.append(.sourceAppID) }
        if sourceDomain != nil { fields.append(.sourceDomain) }
        if fidelityType != nil { fields.append(.fidelityType) }
        if timestamp != nil { fields.append(.timestamp) }
        if eligibleForReengagement != nil { fields.append(.eligibleForReengagement) }
        return fields
    }
}
