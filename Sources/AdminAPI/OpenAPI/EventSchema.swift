import AdAttribution
import StrictJSON

/// The schemas of events that are read by cursor; docs/events.md says what their members mean.
enum EventSchema {
    private static let text: JSONDocument = ["type": "string"]
    private static let integer: JSONDocument = ["type": "integer"]
    private static let flag: JSONDocument = ["type": "boolean"]
    private static let textOrNull: JSONDocument = ["type": ["string", "null"]]
    private static let integerOrNull: JSONDocument = ["type": ["integer", "null"]]
    private static let time: JSONDocument = ["type": "string", "format": "date-time"]

    /// An event: all members are always there.
    static var document: JSONDocument {
        OpenAPISchema.object(place + values + dimensions + [("body", textOrNull)])
    }

    /// A notification of the App Store: all members are always there, but for the body.
    static var notification: JSONDocument {
        let members: [(String, JSONDocument)] = [
            ("format", ["type": "integer", "enum": [1]]), ("id", text), ("lane", integer), ("position", integer),
            ("environment", text), ("notification_id", text), ("version", ["type": "integer", "enum": [1, 2]]),
            ("type", text), ("subtype", textOrNull), ("bundle_id", textOrNull), ("app_id", integerOrNull),
            ("original_transaction_id", textOrNull), ("transaction_id", textOrNull), ("status", integerOrNull),
            ("signed_at", ["type": ["string", "null"], "format": "date-time"]), ("received_at", time),
            ("body_sha256", text),
        ]
        return OpenAPISchema.object(members + [("body", textOrNull)], required: members.map(\.0))
    }

    private static var place: [(String, JSONDocument)] {
        [
            ("format", ["type": "integer", "enum": [1]]), ("id", text),
            ("event", ["type": "string", "enum": ["accepted", "raised", "conflict"]]), ("first_raise", flag),
            ("lane", integer), ("position", integer), ("ordinal", integer), ("written_at", time),
            ("received_at", time), ("day", ["type": "string", "format": "date"]), ("transaction_id", text),
            ("sequence_index", integer), ("did_win", flag),
        ]
    }

    private static var values: [(String, JSONDocument)] {
        ["", "previous_", "offered_"].flatMap { prefix in
            [(prefix + "conversion_value", integerOrNull), (prefix + "coarse_value", textOrNull)]
        }
    }

    private static var dimensions: [(String, JSONDocument)] {
        let facts = PostbackVersions.apple.traitColumns.map { column in
            (column.name, ["type": [.string(column.kind.jsonType.rawValue), "null"]] as JSONDocument)
        }
        return [
            ("environment", text), ("protocol", text), ("ad_network_id", text), ("developer_copy", flag),
            ("campaign_type", text), ("campaign", text), ("advertised_app_id", integer),
            ("source_app_id", integerOrNull), ("source_domain", textOrNull), ("version", textOrNull),
        ] + facts + [("relay_normalised", flag), ("signing_key", text)]
    }
}
