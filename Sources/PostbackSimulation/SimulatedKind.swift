package import AdAttribution

/// What a simulated postback is one of.
package enum SimulatedKind: Sendable, Hashable {
    /// SKAdNetwork of a version.
    case skAdNetwork(SKAdNetworkVersion)
    /// AdAttributionKit.
    case adAttributionKit

    /// Everything that can be simulated: each version, and AdAttributionKit.
    package static var all: [SimulatedKind] {
        SignedLayout.postbacks.keys.sorted().map { .skAdNetwork($0) } + [.adAttributionKit]
    }

    /// The curve of the key that signs it, or nil where the version can't be simulated.
    package var curve: Curve? {
        switch self {
        case .skAdNetwork(let version): SignedLayout.postbacks[version]?.curve
        case .adAttributionKit: .p256
        }
    }

    /// Whether it knows windows, tiers and coarse values: 4.0 and AdAttributionKit.
    var hasWindows: Bool {
        switch self {
        case .skAdNetwork(let version): SignedLayout.postbacks[version]?.signs(.postbackSequenceIndex) == true
        case .adAttributionKit: true
        }
    }

    /// Whether networks that did not win get one too: 3.0 and later, and AdAttributionKit.
    var hasLosers: Bool {
        switch self {
        case .skAdNetwork(let version): SignedLayout.postbacks[version]?.signs(.didWin) == true
        case .adAttributionKit: true
        }
    }

    /// Whether a conversion value may come with it: from 2.0 on.
    var hasValue: Bool { self != .skAdNetwork(.v1_0) }
}
