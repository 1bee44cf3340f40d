/// A wrong entry of the trusted proxies.
package struct TrustedProxiesError: Error, Equatable, CustomStringConvertible {
    /// The entry and its rule, in one line.
    package let description: String

    init(_ entry: some StringProtocol, _ rule: String) {
        description = "\"\(entry.prefix(60))\" \(rule)"
    }
}
