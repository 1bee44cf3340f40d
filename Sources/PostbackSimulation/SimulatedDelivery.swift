package import AdAttribution

/// One delivery of a simulation: the body, and what a receiver must make of it.
package struct SimulatedDelivery: Sendable {
    /// The body as it arrives.
    package let body: [UInt8]
    /// The number of the postback, from 0; deliveries of one number are one postback.
    package let postbackNumber: Int
    /// What the postback is one of.
    package let kind: SimulatedKind
    /// Whether the network won.
    package let didWin: Bool
    /// The conversion window, 0…2.
    package let window: Int
    /// The value that this delivery offers, surplus ones left out.
    package let offered: ReportedConversionValue
    /// Whether the development key signed it.
    package let isDevelopment: Bool
    /// Whether a relay changed something that a receiver undoes.
    package let isRelayNormalised: Bool
}
