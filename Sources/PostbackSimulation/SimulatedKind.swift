package import AdAttribution

/// The kind of a simulated postback.
package enum SimulatedKind: Sendable, Hashable {
    /// SKAdNetwork of a version.
    case skAdNetwork(SKAdNetworkVersion)
    /// AdAttributionKit.
    case adAttributionKit

    /// Everything that can be simulated: each of Apple's versions, and AdAttributionKit.
    package static var all: [SimulatedKind] {
        PostbackVersions.apple.versions.map { .skAdNetwork($0) } + [.adAttributionKit]
    }

    /// The row of a table of versions, or nil if the table has none for it.
    package func layout(in versions: PostbackVersions = .apple) -> PostbackLayout? {
        switch self {
        case .skAdNetwork(let version): versions.skAdNetwork[version]
        case .adAttributionKit: versions.adAttributionKit
        }
    }
}

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
