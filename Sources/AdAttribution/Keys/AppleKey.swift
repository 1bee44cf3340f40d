/// Apple's public keys for postbacks, built in.
///
/// Sources: Apple, "SKAdNetwork 2 release notes", "Verifying an install-validation postback" and AdAttributionKit's
/// "Verifying a postback". The production key on P-256 is the same in both protocols.
public enum AppleKey: String, Sendable, CaseIterable {
    /// SKAdNetwork 1.0 and 2.0, on P-192.
    case skadnetworkP192 = "apple-skadnetwork-p192"
    /// SKAdNetwork 2.1 and later, and AdAttributionKit, on P-256.
    case production = "apple-cas-identifier/0"
    /// End-to-end development flows.
    case development = "apple-development-identifier/0"
    /// Postbacks made in the developer settings of a device.
    case developerSettings = "apple-development-identifier/1"

    /// The key as Apple prints it: SubjectPublicKeyInfo DER in base64.
    public var subjectPublicKeyInfo: String {
        switch self {
        case .skadnetworkP192:
            "MEkwEwYHKoZIzj0CAQYIKoZIzj0DAQEDMgAEMyHD625uvsmGq4C43cQ9BnfN2xslVT5V1nOmAMP6qaRRUll3PB1JYmgSm+62sosG"
        case .production:
            "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWdp8GPcGqmhgzEFj9Z2nSpQVddayaPe4FMzqM9wib1+aHaaIzoHoLN9zW4K8y4SPykE3"
                + "YVK3sVqW6Af0lfx3gg=="
        case .development:
            "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELeEDzpJEP+/qRSE5hJVC1p1J0ssUnQGMzBBbvnACBok8OVGGLgxL0myrKiy6lvRtSlLR"
                + "sWit87i+vftD8AEqeQ=="
        case .developerSettings:
            "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8YzdO7eM97s/IJ25kdW5CZ3A14USE5IJ5Ha/vhWaxI6UBI1ZxCEvjrKxVluVGe6qWwF1"
                + "BDFq+QHqKfH5u+wxHQ=="
        }
    }

    /// The environment of a postback under this key.
    public var environment: AttributionEnvironment {
        switch self {
        case .skadnetworkP192, .production: .production
        case .development, .developerSettings: .development
        }
    }

    /// The prefix that only Apple's keys may have in their names.
    public static let namePrefix = "apple-"
}
