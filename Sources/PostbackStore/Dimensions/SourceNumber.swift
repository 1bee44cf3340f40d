package import AdAttribution

/// The number of an app or a web site that showed an ad: `source` in every table.
///
/// An app is its own App Store id. The number of a domain follows from its text, and the domain has a row in
/// `attribution.source`. See migrations/0001_dimensions.sql.
package enum SourceNumber {
    /// The number of a postback that names neither app nor domain.
    package static let none: Int64 = 0
    private static let developmentApp = Int64.min

    /// The number of an app, which is never below 0 but for development-signed apps.
    static func number(of app: AppID) -> Int64 { app == .development ? developmentApp : app.value }

    /// The number of a domain unless another domain had it before: -1 less 62 bits of the SHA-256 of its text.
    ///
    /// It is -1 to -2^62. `attribution.source_number` computes the same.
    static func number(of domain: SourceDomain) -> Int64 {
        let bits = SHA256.digest(Array(domain.text.utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return -1 - Int64(bits >> 2)
    }

    /// The number of what a postback names as its source; nil if it is a domain whose number is not known.
    static func number(of source: AttributionSource?, domain: (SourceDomain) -> Int64?) -> Int64? {
        switch source {
        case nil: none
        case .app(let app)?: number(of: app)
        case .domain(let name)?: domain(name)
        }
    }

    /// The app that has a number; nil if a domain has it, or if it is `none`.
    package static func app(_ number: Int64) -> AppID? {
        switch number {
        case developmentApp: .development
        case none: nil
        default: AppID(number)
        }
    }
}
