/// An entry of the trusted proxies that is wrong.
public struct TrustedProxiesError: Error, Equatable, CustomStringConvertible {
    /// The entry and its rule, in one line.
    public let description: String

    init(_ entry: some StringProtocol, _ rule: String) {
        description = "\"\(entry.prefix(60))\" \(rule)"
    }
}
