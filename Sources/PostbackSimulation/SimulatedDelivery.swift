package import AdAttribution

/// One delivery of a simulation: the body, and how a receiver must count it.
package struct SimulatedDelivery: Sendable {
    /// The body as it arrives.
    package let body: [UInt8]
    /// The number of the postback, from 0.
    ///
    /// Deliveries with the same number are of the same postback.
    package let postbackNumber: Int
    /// The kind of the postback.
    package let kind: SimulatedKind
    /// Whether the postback is winning.
    package let didWin: Bool
    /// The conversion window, 0…2.
    package let window: Int
    /// The value of this delivery, without values that a receiver must not count.
    package let offered: ReportedConversionValue
    /// Whether the development key signed it.
    package let isDevelopment: Bool
    /// Whether a relay changed something that a receiver must undo.
    package let isRelayNormalised: Bool
}
