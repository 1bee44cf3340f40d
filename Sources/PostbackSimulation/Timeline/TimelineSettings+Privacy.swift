import AdAttribution

extension TimelineSettings.Privacy {
    /// The rule, checked.
    func rule() throws(FieldError) -> PrivacyRule {
        switch mode {
        case "crowd":
            guard share == nil else { throw FieldError(field: "privacy.share", rule: "is for the mode random only") }
            let days = try TimelineWorld.value("privacy.days", days ?? 0, "an integer from 1 to 60") {
                (1...60).contains($0) ? $0 : nil
            }
            guard let thresholds, thresholds.count == 3, thresholds[0] >= 0,
                zip(thresholds, thresholds.dropFirst()).allSatisfy({ $0 <= $1 })
            else {
                throw FieldError(
                    field: "privacy.thresholds", rule: "must be three integers from 0 on, none below the one before")
            }
            return .crowd(days: days, thresholds: thresholds)
        case "random":
            guard days == nil, thresholds == nil else {
                throw FieldError(field: "privacy", rule: "has days and thresholds for the mode crowd only")
            }
            guard let share, (0...1).contains(share) else {
                throw FieldError(field: "privacy.share", rule: "must be a share from 0 to 1")
            }
            return .random(share: share)
        default:
            throw FieldError(field: "privacy.mode", rule: "must be crowd or random", value: mode)
        }
    }
}
