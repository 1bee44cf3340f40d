import AdAttribution

/// The facts that decide the form of a simulated postback.
///
/// They are a cheap function of the configuration's seed and the postback's number, because the plan of deliveries
/// needs them too.
///
/// Source for tiers and windows: Apple, "Receiving postbacks in multiple conversion windows".
struct PostbackTraits: Sendable, Equatable {
    /// The kind of conversion value that the postback can have.
    enum ValueKind: Sendable {
        case none, fine, coarse

        /// The highest step; −1 if there is no value.
        var highest: Int {
            switch self {
            case .none: -1
            case .fine: 63
            case .coarse: 2
            }
        }
    }

    let kind: SimulatedKind
    /// Whether the kind has conversion windows.
    let hasWindows: Bool
    /// AdAttributionKit only.
    ///
    /// It decides whether did-win can be false.
    let conversionType: ConversionType
    let didWin: Bool
    /// The window, 0…2.
    let window: Int
    /// The privacy tier, 0…3; 3 if the kind has no tiers.
    let tier: Int
    let valueKind: ValueKind
    /// Whether the development key signs it.
    let isDevelopment: Bool

    init(_ number: UInt32, _ configuration: PostbackSimulator.Configuration) {
        // It has its own random sequence, so that the choices of the fields do not depend on it.
        var random = SeededRandom(seed: ~configuration.seed, stream: UInt64(number))
        kind = configuration.kinds[random.below(configuration.kinds.count)]
        let layout = kind.layout(in: configuration.versions)
        // Windows come with tiers and coarse values.
        hasWindows = layout?.signs(.sequenceIndex) ?? false
        switch random.below(10) {
        case 0, 1: conversionType = .redownload
        case 2, 3: conversionType = .reengagement
        default: conversionType = .download
        }
        // Apple sends no assists for a re-engagement.
        let canLose =
            (layout?.signs(.didWin) ?? false) && !(kind == .adAttributionKit && conversionType == .reengagement)
        let isLost = random.chance(configuration.losingRate)
        didWin = !(canLose && isLost)
        let isLater = random.chance(configuration.laterWindowRate)
        let laterWindow = 1 + random.below(2)
        window = hasWindows && didWin && isLater ? laterWindow : 0
        let drawnTier = Self.tier(random.unit(), tier3Rate: configuration.tier3Rate)
        // At tier 0 there are no postbacks of later windows.
        tier = hasWindows ? max(drawnTier, window > 0 ? 1 : 0) : 3
        valueKind = Self.valueKind(layout, didWin: didWin, window: window, tier: tier, hasWindows: hasWindows)
        isDevelopment = random.chance(configuration.developmentRate)
    }

    /// The traits of a postback that is known otherwise.
    init(
        _ kind: SimulatedKind, conversionType: ConversionType, didWin: Bool, window: Int, tier: Int, hasWindows: Bool
    ) {
        self.kind = kind
        self.conversionType = conversionType
        self.didWin = didWin
        self.window = window
        self.tier = tier
        self.hasWindows = hasWindows
        valueKind = Self.valueKind(
            kind.layout(), didWin: didWin, window: window, tier: tier, hasWindows: hasWindows)
        isDevelopment = false
    }

    /// Tier 3 with its share, and the tiers below it equally often.
    private static func tier(_ point: Double, tier3Rate: Double) -> Int {
        let lower = 1 - tier3Rate
        return point >= lower ? 3 : min(2, Int(point / (lower / 3)))
    }

    private static func valueKind(
        _ layout: PostbackLayout?, didWin: Bool, window: Int, tier: Int, hasWindows: Bool
    ) -> ValueKind {
        if !didWin || (layout?.values.isEmpty ?? true) || tier == 0 { return .none }
        return hasWindows && (window > 0 || tier == 1) ? .coarse : .fine
    }

    /// Whether a delivery may have a value of the other kind, which a receiver must ignore.
    var canConflict: Bool { hasWindows && window == 0 && valueKind != .none }

    /// The value with a step, of the postback's own kind or, if `isOther`, of the other kind.
    func value(_ step: Int, isOther: Bool) -> ReportedConversionValue {
        switch (valueKind, isOther) {
        case (.fine, false), (.coarse, true): ConversionValue(Int64(step)).map { .fine($0) } ?? .none
        case (.coarse, false), (.fine, true):
            switch step {
            case 0: .coarse(.low)
            case 1: .coarse(.medium)
            case 2: .coarse(.high)
            default: .none
            }
        case (.none, _): .none
        }
    }
}
