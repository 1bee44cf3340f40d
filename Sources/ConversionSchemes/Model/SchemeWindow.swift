package import AdAttribution

/// What makes an app lock a postback window.
///
/// Source: Google Ads API, `lock_window_trigger`.
package enum LockTrigger: Sendable, Hashable {
    /// The event happens.
    case event(EventName)
    /// The app sets this coarse value.
    case coarse(CoarseConversionValue)
    /// The app sets this fine value; window 0 only.
    case fine(ConversionValue)
}

/// What a scheme says about one postback window.
package struct SchemeWindow: Sendable, Hashable {
    /// The meanings of the coarse values that are mapped.
    package var coarse: [CoarseConversionValue: Meaning]
    /// What locks the window, in the order of the canonical file: events, coarse values, fine values.
    package var locks: [LockTrigger] {
        didSet { locks = Self.sorted(locks) }
    }

    /// Takes meanings and triggers; a trigger that stands twice is taken once.
    package init(coarse: [CoarseConversionValue: Meaning] = [:], locks: [LockTrigger] = []) {
        self.coarse = coarse
        self.locks = Self.sorted(locks)
    }

    /// Whether the scheme says nothing about the window.
    package var isEmpty: Bool { coarse.isEmpty && locks.isEmpty }

    private static func sorted(_ locks: [LockTrigger]) -> [LockTrigger] {
        Set(locks).sorted { left, right in
            switch (left, right) {
            case (.event(let left), .event(let right)): left < right
            case (.coarse(let left), .coarse(let right)): left < right
            case (.fine(let left), .fine(let right)): left < right
            default: left.rank < right.rank
            }
        }
    }
}

extension LockTrigger {
    fileprivate var rank: Int {
        switch self {
        case .event: 0
        case .coarse: 1
        case .fine: 2
        }
    }
}
