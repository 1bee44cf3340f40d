package import AdAttribution

/// A version that Apple does not have: 4.0 with one more signed field. Only rows are added.
extension PostbackField {
    /// Where on the screen the ad was: an integer from 0 to 3.
    package static let adPlacement = PostbackField(
        "ad-placement", .integer(rule: "an integer from 0 to 3") { (0...3).contains($0) }, .trait("ad_placement"),
        examples: (0...3).map { .integer($0) })
}

extension SKAdNetworkVersion {
    /// The version with the field.
    package static let madeUp = SKAdNetworkVersion(major: 9, minor: 9)
}

extension PostbackVersions {
    /// Apple's versions and the made-up one.
    package static let withMadeUp = PostbackVersions.apple.adding(
        .init(.madeUp, .p256, values: [.fine, .coarse], postback4 + [.required(.adPlacement)]))
}
