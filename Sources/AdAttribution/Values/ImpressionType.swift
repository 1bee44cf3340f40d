/// The kind of an AdAttributionKit impression; Apple knows one.
///
/// Source: Apple, AdAttributionKit, "Generating JWS impressions".
enum ImpressionType: String, TextWireValue {
    case app = "app-impression"

    init?(_ text: String) {
        self.init(rawValue: text)
    }

    static let rule = "app-impression"
}
