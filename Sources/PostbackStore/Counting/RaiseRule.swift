package import AdAttribution

/// What an offered conversion value does to the one that is stored: the only place with this rule.
///
/// A higher value of the same kind raises, and any value raises no value. A value of the other kind is a conflict. The
/// rule stands here in SQL, for the statement that counts, and in Swift, for what is decided without a query.
/// `RaiseRuleTests` compares the two over all pairs of values.
package enum RaiseRule {
    private typealias Event = CountingStatement.Event

    /// Branches of a CASE with the event of a delivery whose key is known.
    ///
    /// It compares `delivery.value` with `stored.value`, which are numbers of `StoredValue`.
    static func branches(_ policy: ConversionPolicy) -> String {
        switch policy {
        case .monotonic:
            """
            WHEN delivery.value > stored.value AND (stored.value < 0 OR \(sameKind))
                 THEN CASE WHEN stored.value = stored.first_value THEN \(Event.raisedFirst) ELSE \(Event.raisedAgain) END
            WHEN delivery.value >= 0 AND stored.value >= 0 AND NOT \(sameKind) THEN \(Event.conflict)
            """
        case .first:
            """
            WHEN delivery.value > stored.value OR (delivery.value >= 0 AND stored.value >= 0 AND NOT \(sameKind))
                 THEN \(Event.conflict)
            """
        }
    }

    private static let sameKind = "(delivery.value > 63) = (stored.value > 63)"

    /// Whether an offered value raises a held one, if values may rise.
    package static func raises(_ held: ReportedConversionValue, by offered: ReportedConversionValue) -> Bool {
        switch (held, offered) {
        case (_, .none): false
        case (.none, _): true
        case (.fine(let held), .fine(let offered)): offered > held
        case (.coarse(let held), .coarse(let offered)): offered > held
        case (.fine, .coarse), (.coarse, .fine): false
        }
    }

    /// The outcome of a later delivery of the same key if it follows from an earlier one and its outcome, else nil.
    ///
    /// An equal value has the same result again: a conflict, or nothing new. No value never changes a row. A lower
    /// value of the same kind does not change it either.
    static func outcome(
        of later: ReportedConversionValue, after earlier: ReportedConversionValue, _ outcome: DeliveryOutcome
    ) -> DeliveryOutcome? {
        if later == .none { return .duplicate }
        if later == earlier { return outcome == .conflict ? .conflict : .duplicate }
        return outcome != .conflict && raises(later, by: earlier) ? .duplicate : nil
    }
}
