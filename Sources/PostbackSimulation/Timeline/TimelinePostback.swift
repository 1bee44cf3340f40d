import AdAttribution

/// A postback of a timeline before it is signed, with the truth behind it.
///
/// It is internal: what others read are its body and its line of truth.
struct TimelinePostback: Sendable {
    /// What the device knows; for a postback with did-win false, with the ad of the losing network.
    let conversion: SimulatedConversion
    let didWin: Bool
    /// The postback sequence index, 0…2.
    let window: Int
    /// When the first launch or the re-engagement was.
    let launchedAt: Moment
    let tier: PrivacyTier
    /// What the app had set for the window; nil if it set nothing, and for a postback with did-win false.
    let value: ValueUpdate?
    /// When the app locked the window; nil if it did not.
    let lockedAt: Moment?
    /// When a re-engagement ended the window; nil if none did.
    let reengagedAt: Moment?
    /// When the window or the timer ended: from then on the value is final.
    let preparedAt: Moment
    /// When the device sends the postback for the first time.
    let sentAt: Moment
    /// When the first delivery arrives; later than `sentAt` if it was delayed.
    let receivedAt: Moment
    /// What the user paid from the beginning of the window to `preparedAt`, in cents.
    let revenueInWindow: Int64
    /// What the user paid from the launch to `preparedAt`, in cents.
    let revenueToEnd: Int64
    /// What the user paid in all 35 days, in cents.
    let revenueTotal: Int64

    /// What chooses the random sequences of this postback.
    var stream: UInt64 { conversion.number << 4 | UInt64(slot) }
    /// The place among the postbacks of the conversion: 0…2 the windows, then those with did-win false.
    let slot: Int

    /// Whether the postback says as much as the first postback of a winning network may.
    private var isFirst: Bool { didWin && window == 0 }

    /// Whether tier, window and version let a value through, if the app set one.
    var allowsValue: Bool {
        guard didWin, conversion.hasValues else { return false }
        if conversion.hasWindows { return tier.number >= 1 }
        return tier.number >= 2
    }

    /// The value that the postback has.
    var sentValue: ReportedConversionValue {
        guard let value, allowsValue else { return .none }
        return window > 0 || (conversion.hasWindows && tier.number == 1) ? .coarse(value.coarse) : .fine(value.fine)
    }

    /// Whether the postback names its source.
    var sendsSource: Bool { isFirst && tier.number == 3 && conversion.kind != .skAdNetwork(.v1_0) }

    /// Whether the postback names the country: SKAdNetwork 4.0 and AdAttributionKit in tier 3.
    var sendsCountry: Bool { isFirst && tier.number == 3 && conversion.hasWindows }

    /// Whether the postback names the marketplace: AdAttributionKit, but not in tier 0.
    var sendsMarketplace: Bool { tier.number > 0 && conversion.kind == .adAttributionKit }

    /// How many digits of the source identifier the postback has; later windows always have two.
    var digits: Int { window == 0 ? tier.digits : 2 }
}
