/// By how much a batch changes the aggregates: exactly what its rows moved, folded by key.
struct AggregateChange: Sendable {
    /// A row of `source_app_daily`.
    struct SourceAppKey: Sendable, Hashable, Comparable {
        let campaign: CampaignKey
        let sourceApp: String

        static func < (left: SourceAppKey, right: SourceAppKey) -> Bool {
            (left.campaign, left.sourceApp) < (right.campaign, right.sourceApp)
        }
    }

    /// A row of `conversion_value_daily`; −1 and the empty string stand for none.
    struct ValueKey: Sendable, Hashable, Comparable {
        let campaign: CampaignKey
        let sequenceIndex: Int16
        let didWin: Bool
        let conversionValue: Int16
        let coarseValue: String

        static func < (left: ValueKey, right: ValueKey) -> Bool {
            (left.campaign, left.sequenceIndex, left.didWin ? 1 : 0, left.conversionValue, left.coarseValue)
                < (right.campaign, right.sequenceIndex, right.didWin ? 1 : 0, right.conversionValue, right.coarseValue)
        }
    }

    private(set) var campaigns: [CampaignKey: Counters] = [:]
    private(set) var sourceApps: [SourceAppKey: Counters] = [:]
    private(set) var values: [ValueKey: Int64] = [:]

    /// Takes in what one written row moved.
    mutating func add(_ outcome: DeliveryOutcome, _ row: StoredPostback) {
        var counters = Counters()
        switch outcome {
        case .duplicate: return
        case .conflict: counters.conflicts = 1
        case .accepted:
            count(row, into: &counters)
            move(row, to: row.value)
        case .raised:
            if row.previousValue == row.firstValue { counters.raised = 1 }
            if row.isWinningFirstWindow {
                counters.count(row.previousValue, times: -1)
                counters.count(row.value, times: 1)
            }
            move(row, from: row.previousValue, to: row.value)
        }
        add(counters, row)
    }

    /// Takes in conflicts of a row beyond the one that its outcome told.
    mutating func addConflicts(_ count: Int, _ row: StoredPostback) {
        add(Counters(conflicts: Int64(count)), row)
    }

    private mutating func add(_ counters: Counters, _ row: StoredPostback) {
        campaigns[row.campaign, default: Counters()] += counters
        sourceApps[SourceAppKey(campaign: row.campaign, sourceApp: row.sourceApp), default: Counters()] += counters
    }

    private func count(_ row: StoredPostback, into counters: inout Counters) {
        if !row.key.didWin { counters.assists = 1 }
        if row.key.sequenceIndex > 0 { counters.laterWindows = 1 }
        guard row.isWinningFirstWindow else { return }
        switch row.conversionType {
        case "re-engagement"?: counters.reengagements = 1
        case "redownload"?: counters.redownloads = 1
        case nil where row.redownload == true: counters.redownloads = 1
        default: counters.installs = 1
        }
        counters.count(row.value, times: 1)
    }

    private mutating func move(
        _ row: StoredPostback, from previous: StoredPostback.StoredValue? = nil, to value: StoredPostback.StoredValue
    ) {
        if let previous { values[row.valueKey(previous), default: 0] -= 1 }
        values[row.valueKey(value), default: 0] += 1
    }
}

extension StoredPostback {
    /// Whether the row counts as an install, redownload or re-engagement.
    fileprivate var isWinningFirstWindow: Bool { key.didWin && key.sequenceIndex == 0 }

    fileprivate func valueKey(_ value: StoredValue) -> AggregateChange.ValueKey {
        AggregateChange.ValueKey(
            campaign: campaign, sequenceIndex: key.sequenceIndex, didWin: key.didWin,
            conversionValue: value.fine ?? -1, coarseValue: value.coarse ?? "")
    }
}
