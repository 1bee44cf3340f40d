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
