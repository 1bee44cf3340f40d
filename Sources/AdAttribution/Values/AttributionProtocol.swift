/// Which of Apple's two frameworks a message belongs to; the `protocol` column.
public enum AttributionProtocol: String, Sendable, Hashable, CaseIterable {
    /// SKAdNetwork: JSON with a DER signature beside the fields.
    case skAdNetwork = "skadnetwork"
    /// AdAttributionKit: a compact JWS.
    case adAttributionKit = "adattributionkit"
}
