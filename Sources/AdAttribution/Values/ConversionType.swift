/// What led to an AdAttributionKit postback.
///
/// Source: Apple, AdAttributionKit, "Identifying the parameters in a postback".
public enum ConversionType: String, TextWireValue, CaseIterable {
    /// The first download of the app.
    case download
    /// A download on an account that had the app before.
    case redownload
    /// The app was there already and was opened through the ad.
    case reengagement = "re-engagement"

    init?(_ text: String) {
        self.init(rawValue: text)
    }

    /// What the value must be, to complete "must be …".
    public static let rule = "download, redownload or re-engagement"
}
