/// Which figures a postback or an impression counts in; each counts in exactly one.
public enum AttributionEnvironment: String, Sendable, Hashable, CaseIterable {
    /// Signed by an Apple production key, out of an app that came from the App Store.
    case production
    /// Signed by an Apple development key, or out of a development-signed app (source app id 0).
    case development
    /// Signed by a test key of the key ring.
    case test
}
