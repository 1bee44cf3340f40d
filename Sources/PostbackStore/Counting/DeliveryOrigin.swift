/// Where a delivery came from, as far as it is kept.
public struct DeliveryOrigin: Sendable, Equatable {
    /// The source address in a form that PostgreSQL's `inet` reads, or nil.
    public let address: String?
    /// The User-Agent header, or nil.
    public let userAgent: String?

    /// An origin.
    public init(address: String?, userAgent: String?) {
        self.address = address
        self.userAgent = userAgent
    }

    /// Nothing is known.
    public static let unknown = DeliveryOrigin(address: nil, userAgent: nil)
}
