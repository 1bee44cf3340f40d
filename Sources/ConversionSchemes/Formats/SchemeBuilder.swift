import AdAttribution
import Money
import StrictJSON

/// Gathers what a foreign file says about values, in the order of the format's priority, and makes a draft of it.
///
/// If a file says more than one thing about a value, any of them may hold. If two values fit one user, the one that was
/// added first wins, so the ranges of the other end where it begins.
struct SchemeBuilder {
    /// A value of a window.
    enum Slot: Hashable {
        case fine(ConversionValue)
        case coarse(Int, CoarseConversionValue)
    }

    /// One thing that a value may mean.
    private struct Alternative {
        let meaning: Meaning
        let place: DocumentPlace
        /// Whether the app locks the window if the value means this.
        let locks: Bool
    }

    let options: ImportOptions
    let findings: DocumentFindings
    /// What the file says about itself.
    var appID: AppID?
    var currency: CurrencyCode?
    var measurementWindowHours: Int64?
    /// Whether the format says that the first value that fits wins.
    var hasPriority = false

    private var order: [Slot] = []
    private var alternatives: [Slot: [Alternative]] = [:]
    private var locks: [(window: Int, trigger: LockTrigger, place: DocumentPlace)] = []

    init(_ options: ImportOptions, _ findings: DocumentFindings) {
        self.options = options
        self.findings = findings
    }

    /// The currency whose amounts are taken: that of the operator, or else that of the file.
    var chosenCurrency: CurrencyCode? { options.currency ?? currency }

    /// Adds something that a value may mean, and whether the app locks the window then.
    mutating func add(_ slot: Slot, _ meaning: Meaning, _ place: DocumentPlace, locks: Bool = false) {
        if alternatives[slot] == nil { order.append(slot) }
        alternatives[slot, default: []].append(Alternative(meaning: meaning, place: place, locks: locks))
    }

    /// Adds a trigger of a window's lock.
    mutating func lock(_ window: Int, _ trigger: LockTrigger, _ place: DocumentPlace) {
        locks.append((window, trigger, place))
    }

    /// Gives a window the coarse meanings of another one, and their locks.
    mutating func copyCoarse(from source: Int, to window: Int) {
        for case .coarse(source, let value) in order {
            for alternative in alternatives[.coarse(source, value)] ?? [] {
                add(.coarse(window, value), alternative.meaning, alternative.place, locks: alternative.locks)
            }
        }
    }

    /// Makes a draft; its checks come later.
    ///
    /// - Throws: What is wrong with the file so far.
    consuming func draft() throws(SchemeErrors) -> SchemeDraft {
        if let given = options.appID, let appID, given != appID {
            findings.refuse(
                DocumentPlace(line: 1, path: "app-id"), "must be the app of the file, \(appID.value)",
                value: String(given.value))
        }
        guard let app = options.appID ?? appID else {
            findings.refuse(DocumentPlace(line: 1, path: "app-id"), "must be given, since the file does not say it")
            throw SchemeErrors(findings)
        }
        var draft = SchemeDraft(appID: app, name: options.name, validFrom: options.validFrom)
        draft.validFromPlace = DocumentPlace(line: 1, path: "valid-from")
        draft.validTo = options.validTo
        draft.validToPlace = DocumentPlace(line: 1, path: "valid-to")
        draft.currency = chosenCurrency
        draft.measurementWindowHours = options.measurementWindowHours ?? measurementWindowHours
        var meanings = order.map { slot in united(slot) }
        if hasPriority { Priority.apply(&meanings) }
        for (slot, meaning, place) in meanings {
            switch slot {
            case .fine(let value):
                draft.fine.append(.init(values: value.value...value.value, meaning: meaning, place: place))
            case .coarse(let window, let value):
                draft.windows[window].coarse[value] = meaning
                draft.places[window].coarse[value] = place
            }
        }
        for (window, locks) in Dictionary(grouping: locks + locksOfValues(), by: \.window) {
            draft.windows[window].locks = locks.map(\.trigger)
            draft.places[window].locks = locks.last?.place
        }
        try findings.check()
        return draft
    }

    /// The values that lock whatever they mean.
    ///
    /// A coarse value of window 0 stands beside a fine one, which has the lock.
    private func locksOfValues() -> [(window: Int, trigger: LockTrigger, place: DocumentPlace)] {
        order.compactMap { slot in
            let list = alternatives[slot] ?? []
            guard let first = list.first(where: \.locks) else { return nil }
            let lock: (Int, LockTrigger)
            switch slot {
            case .coarse(0, _): return nil
            case .fine(let value): lock = (0, .fine(value))
            case .coarse(let window, let value): lock = (window, .coarse(value))
            }
            guard list.allSatisfy(\.locks) else {
                findings.note(
                    first.place, "left out: a lock of window \(lock.0) by some conditions of \(lock.1.shown) only")
                return nil
            }
            return (lock.0, lock.1, first.place)
        }
    }

    private func united(_ slot: Slot) -> (slot: Slot, meaning: Meaning, place: DocumentPlace) {
        let list = alternatives[slot] ?? []
        let place = list.first?.place ?? DocumentPlace(line: 1, path: "")
        let union = Alternatives.union(of: list.map(\.meaning))
        for text in union.notes { findings.note(place, text) }
        return (slot, union.meaning, place)
    }
}
