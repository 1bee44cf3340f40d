import PageFigures
import PageRequests
import Reports

extension CampaignFigures {
    /// What the value of a postback is: why it brings revenue, or none.
    ///
    /// The raw value is the column that counts it.
    enum Cause: String, CaseIterable {
        case mapped
        case withoutRate = "revenue_without_rate"
        case withheld
        case notSet = "not_set"
        case notApplicable = "not_applicable"
        case unmapped
        case ambiguous
        case withoutScheme = "no_scheme"

        var name: String {
            switch self {
            case .mapped: "mapped"
            case .withoutRate: "mapped, without a currency rate"
            case .withheld: "withheld"
            case .notSet: "not set"
            case .notApplicable: "not applicable"
            case .unmapped: "unmapped"
            case .ambiguous: "ambiguous"
            case .withoutScheme: "without a scheme"
            }
        }

        /// What it means, and what to do; without quotation marks, since SQL has it.
        var advice: String {
            switch self {
            case .mapped: "The scheme gives the value a meaning, and so its revenue."
            case .withoutRate: "Of the mapped ones: no rate of the currency on that day. Load rates."
            case .withheld:
                "Apple kept the value back, since few people installed. Use fewer identifiers; see modelled revenue."
            case .notSet: "There was room for a value, but the app set none. Mend the app."
            case .notApplicable: "Postbacks of this version have no value. Nothing can be done."
            case .unmapped: "The scheme does not have the value. Add it to the scheme."
            case .ambiguous:
                "Two schemes may have been in force when the app set the value. It passes after the change."
            case .withoutScheme: "No scheme was in force when the app set the value. Load one for that time."
            }
        }

        /// The screen where it can be mended; nil if nowhere.
        fileprivate var place: (name: String, path: String)? {
            switch self {
            case .mapped, .notApplicable: nil
            case .withoutRate: ("Spend", "/spend")
            case .withheld: ("Modelled revenue", CampaignScreen.place.path)
            case .notSet: ("Versions and windows", WindowScreen.place.path)
            case .unmapped, .ambiguous, .withoutScheme: ("Schemes", "/schemes")
            }
        }

        init?(name: String?) {
            guard let cause = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = cause
        }
    }

    /// Which values bring revenue, and why others do not.
    var causes: FigurePlan {
        let filters = filters
        return plan(
            .causes, id: "causes", "Why revenue is missing",
            "Winning postbacks of all chosen days by what their value is. Only mapped values bring revenue. Choose a kind "
                + "to go where it can be mended.",
            [
                FigureColumn(
                    "period", "Value", isHeader: true,
                    link: { row in
                        guard let place = Cause(name: row["period"])?.place else { return nil }
                        return filters.address(
                            place.path, place.path == CampaignScreen.place.path ? [("by", "modelled")] : [])
                    }),
                FigureColumn("first", "First window", .integer), FigureColumn("second", "Second window", .integer),
                FigureColumn("third", "Third window", .integer),
                FigureColumn("missing_share", "Share of the first window", .share),
                FigureColumn("advice", "What it means, and what to do"),
            ], isTableOpen: true)
    }
}
