import AdAttribution
import ArgumentParser
import CampaignData
import ConversionSchemes
import EventLog
import Money
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
        try value(PostgresDate(text), PostgresDate.rule, text)
    }

    static func name(_ text: String) throws -> String {
        try value(FieldText.name(text), FieldText.nameRule, text)
    }

    static func country(_ text: String) throws -> CountryCode {
        try value(CountryCode(text), CountryCode.rule, text)
    }

    static func campaignType(_ text: String) throws -> CampaignType {
        try value(CampaignType(rawValue: text), CampaignType.rule, text)
    }

    static func group(_ text: String) throws -> SourceIdentifier {
        try value(SourceIdentifier(text), "the last digits of source identifiers, such as 39", text)
    }

    static func coolDown(_ text: String) throws -> Int16 {
        try value(CampaignMapping.coolDownDays(text), CampaignMapping.coolDownRule, text)
    }

    static func currency(_ text: String) throws -> CurrencyCode {
        try value(CurrencyCode(text), CurrencyCode.rule, text)
    }

    static func schemeName(_ text: String) throws -> SchemeName {
        try value(SchemeName(text), SchemeName.rule, text)
    }

    static func schemeTime(_ text: String) throws -> SchemeTime {
        try value(SchemeTime(timeOrDay: text), "\(PostgresDate.rule), or \(SchemeTime.rule)", text)
    }

    static func measurementWindow(_ text: String) throws -> Int64 {
        let hours = FieldText.integer(text).flatMap { HourRange(low: 1, high: $0)?.high }
        return try value(hours, ConversionScheme.measurementWindowRule, text)
    }

    static func reader(_ text: String) throws -> LogReaderName {
        let name = try value(LogReaderName(text), LogReaderName.rule, text)
        guard !name.isOfDestination else {
            throw ValidationError("It must not be '\(text)': \(LogReaderName.destinationRule).")
        }
        return name
    }

    /// Columns of a report, the first of which may have a dash before it.
    ///
    /// The option takes every word that follows. So with its value missing, it gets the next option.
    static func columns(_ text: String) throws -> String {
        guard !text.hasPrefix("--") else { throw ValidationError("It is an option; the names of columns are missing.") }
        return text
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
