import AdAttribution

/// What decides the form of a simulated postback: a cheap function of the configuration's seed and its number, so that
/// the plan of deliveries can ask for it too.
///
/// Source for tiers and windows: Apple, "Receiving postbacks in multiple conversion windows".
struct PostbackTraits: Sendable, Equatable {
    /// Which kind of conversion value the postback can carry.
    enum ValueKind: Sendable {
        case none, fine, coarse

        /// The highest value, in the order in which values rise; −1 is none.
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
    /// AdAttributionKit only; decides what can lose.
    let conversionType: ConversionType
    let didWin: Bool
    /// The window, 0…2.
    let window: Int
    /// The privacy tier, 0…3; what has none counts as 3.
    let tier: Int
    let valueKind: ValueKind
    /// Whether the development key signs it.
    let isDevelopment: Bool

    init(_ number: UInt32, _ configuration: PostbackSimulator.Configuration) {
        // A stream of its own, so that the draws of the fields do not hang on it.
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
        // Apple tells no other network of a re-engagement.
        let canLose =
            (layout?.signs(.didWin) ?? false) && !(kind == .adAttributionKit && conversionType == .reengagement)
        let isLost = random.chance(configuration.losingRate)
        didWin = !(canLose && isLost)
        let isLater = random.chance(configuration.laterWindowRate)
        let laterWindow = 1 + random.below(2)
        window = hasWindows && didWin && isLater ? laterWindow : 0
        let drawnTier = random.below(4)
        // Nothing is sent of later windows at tier 0.
        tier = hasWindows ? max(drawnTier, window > 0 ? 1 : 0) : 3
        if !didWin || (layout?.values.isEmpty ?? true) || tier == 0 {
            valueKind = .none
        } else if hasWindows && (window > 0 || tier == 1) {
            valueKind = .coarse
        } else {
            valueKind = .fine
        }
        isDevelopment = random.chance(configuration.developmentRate)
    }

    /// Whether a value of the other kind may come with it, which a receiver must ignore: only where it could have been.
    var canConflict: Bool { hasWindows && window == 0 && valueKind != .none }

    /// The value of an offer: `step` in the order in which values of its kind rise, of the other kind where `isOther`.
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
