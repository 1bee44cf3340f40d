import AdAttribution
import ArgumentParser
import PostbackStore
import PostgresClient
import TabularFiles

/// Values of options, read from their texts.
enum OptionValue {
    static func network(_ text: String) throws -> AdNetworkID {
        try value(AdNetworkID(text), AdNetworkID.rule, text)
    }

    static func app(_ text: String) throws -> AppID {
        try value(FieldText.integer(text).flatMap(AppID.init), AppID.rule, text)
    }

    static func day(_ text: String) throws -> PostgresDate {
        try value(PostgresDate(text), "a day such as 2026-11-22", text)
    }

    static func name(_ text: String) throws -> String {
        try value(FieldText.name(text), FieldText.nameRule, text)
    }

    static func country(_ text: String) throws -> CountryCode {
        try value(CountryCode(text), CountryCode.rule, text)
    }

    static func campaignType(_ text: String) throws -> CampaignType {
        try value(CampaignType(text), CampaignType.rule, text)
    }

    static func group(_ text: String) throws -> SourceIdentifier {
        try value(SourceIdentifier(text), "the last digits of source identifiers, such as 39", text)
    }

    static func coolDown(_ text: String) throws -> Int16 {
        let range = CampaignMapping.coolDownRange
        let days = FieldText.integer(text).flatMap { range.contains($0) ? Int16($0) : nil }
        return try value(days, "an integer from \(range.lowerBound) to \(range.upperBound)", text)
    }

    private static func value<Value>(_ value: Value?, _ rule: String, _ text: String) throws -> Value {
        guard let value else { throw ValidationError("It must be \(rule), not '\(text.prefix(60))'.") }
        return value
    }
}

extension PostgresDate {
    /// The present UTC day, by the clock of the machine.
    static var today: PostgresDate { PostgresDate(PostbackStore.now()) }
}
