/// One delivery of a simulation: the body, and what a receiver must make of it.
public struct SimulatedDelivery: Sendable {
    /// The body as it arrives.
    public let body: [UInt8]
    /// The number of the postback, from 0; deliveries of one number are one postback.
    public let postbackNumber: Int
    /// What the postback is one of.
    public let kind: SimulatedKind
    /// Whether the network won.
    public let didWin: Bool
    /// The conversion window, 0…2.
    public let window: Int
    /// The value that this delivery offers, surplus ones left out.
    public let offered: ReportedConversionValue
    /// Whether the development key signed it.
    public let isDevelopment: Bool
    /// Whether a relay changed something that a receiver undoes.
    public let isRelayNormalised: Bool
}
