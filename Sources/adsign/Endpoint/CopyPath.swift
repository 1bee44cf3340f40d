/// A path to which devices send copies of winning postbacks.
///
/// A device puts it behind the domain that the advertised app names. Source: Apple, "Configuring an advertised app", of
/// StoreKit and of AdAttributionKit.
enum CopyPath: String, CaseIterable {
    case skAdNetwork = "/.well-known/skadnetwork/report-attribution/"
    case adAttributionKit = "/.well-known/appattribution/report-attribution/"

    /// Whose postbacks come there.
    var source: String {
        switch self {
        case .skAdNetwork: "SKAdNetwork"
        case .adAttributionKit: "AdAttributionKit"
        }
    }
}
