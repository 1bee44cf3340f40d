package import PostgresClient

/// A row of `attribution.campaign_mapping`: conditions, days of reports, and names.
package struct CampaignMapping: Sendable, Equatable {
    /// Which postbacks the row is for.
    package let conditions: MappingConditions
    /// The first day; -infinity if there is none.
    package let validFrom: PostgresDate
    /// The last day on which the campaign may run; nil until the next row with the same conditions begins.
    package let validTo: PostgresDate?
    /// For how many days after the last one late postbacks keep the names.
    package let coolDownDays: Int16
    /// What the operator calls it.
    package let names: CampaignNames

    /// The cool-down if none is given, in days.
    ///
    /// The third window ends 35 days after the first launch. Its postback is sent up to 6 days later. The other 4 days
    /// are for deliveries that Apple repeats.
    ///
    /// Source: Apple, "Receiving postbacks in multiple conversion windows".
    package static let defaultCoolDownDays: Int16 = 45

    /// How long a cool-down may be, in days.
    package static let coolDownRange: ClosedRange<Int16> = 0...3_650

    /// What a cool-down must be, to complete "must be …".
    package static let coolDownRule = "an integer from \(coolDownRange.lowerBound) to \(coolDownRange.upperBound)"

    /// The day before all days.
    package static let always = PostgresDate(daysSince2000: .min)

    /// Takes the values of a row.
    package init(
        conditions: MappingConditions, validFrom: PostgresDate = always, validTo: PostgresDate? = nil,
        coolDownDays: Int16 = defaultCoolDownDays, names: CampaignNames
    ) {
        self.conditions = conditions
        self.validFrom = validFrom
        self.validTo = validTo
        self.coolDownDays = coolDownDays
        self.names = names
    }
}
