/// Where an ad was shown: in an app, or on a web domain (SKAdNetwork 4.0).
public enum AttributionSource: Sendable, Hashable {
    /// `source-app-id`.
    case app(AppID)
    /// `source-domain`.
    case domain(SourceDomain)

    /// The app, if the source is one.
    public var appID: AppID? {
        guard case .app(let id) = self else { return nil }
        return id
    }

    /// The domain, if the source is one.
    public var domain: SourceDomain? {
        guard case .domain(let domain) = self else { return nil }
        return domain
    }
}
