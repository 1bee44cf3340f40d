import CampaignData
import StrictJSON
import TabularFiles

/// The schemas of files of the operator, and of what is said of their loads.
enum LoadSchema {
    private static let text: JSONDocument = ["type": "string"]
    private static let textOrNull: JSONDocument = ["type": ["string", "null"]]
    private static let integer: JSONDocument = ["type": "integer"]
    private static let flag: JSONDocument = ["type": "boolean"]
    private static let time: JSONDocument = ["type": "string", "format": "date-time"]
    private static let timeOrNull: JSONDocument = ["type": ["string", "null"], "format": "date-time"]

    /// A file with a table.
    static var table: JSONDocument {
        ["type": "string", "description": "CSV or NDJSON, as docs/mapping-and-spend.md describes each file"]
    }

    /// A file with a scheme.
    static var scheme: JSONDocument {
        ["type": "object", "description": "a scheme, as docs/schemes.md describes its file"]
    }

    /// The numbers of rows of a load.
    private static let changes: [(String, JSONDocument)] = [
        ("added", integer), ("changed", integer), ("unchanged", integer), ("removed", integer),
    ]

    /// What loading a file did, or would do.
    static var load: JSONDocument {
        let result: JSONDocument = ["type": "string", "enum": ["stored", "unchanged", "dry_run"]]
        let number: JSONDocument = ["type": ["integer", "null"], "description": "its number, if it is stored"]
        let confirmation: JSONDocument = [
            "type": ["string", "null"], "description": "the value of the parameter confirmation",
        ]
        let rows: JSONDocument = [
            "type": "array", "items": row,
            "description": "the removed ones first, then the changed ones; 200 at most",
        ]
        let costs: JSONDocument = [
            "type": "array", "items": lostCost,
            "description": "campaigns that lose all their cost of a day; 200 at most",
        ]
        let head: [(String, JSONDocument)] = [("result", result), ("load", number)]
        let remarks: JSONDocument = ["type": "array", "items": text]
        let tail: [(String, JSONDocument)] = [
            ("remarks", remarks), ("confirmation", confirmation), ("rows", rows), ("lost_cost_count", integer),
            ("lost_costs", costs),
        ]
        return OpenAPISchema.object(head + changes + tail)
    }

    /// A row that a load adds, changes or removes.
    private static var row: JSONDocument {
        let change: JSONDocument = ["type": "string", "enum": ["added", "changed", "removed"]]
        return OpenAPISchema.object([
            ("row", text), ("change", change), ("before", textOrNull), ("after", textOrNull),
        ])
    }

    /// The cost of a campaign and a day.
    private static var lostCost: JSONDocument {
        OpenAPISchema.object([
            ("day", text), ("ad_network_id", text), ("advertised_app_id", integer), ("campaign_id", text),
            ("currency", text), ("spend", text),
        ])
    }

    /// The list of loads.
    static var loads: JSONDocument {
        let head: [(String, JSONDocument)] = [
            ("load", integer), ("kind", kind), ("loaded_at", time), ("loaded_by", text), ("files", text),
            ("sha256", text),
        ]
        let tail: [(String, JSONDocument)] = [
            ("can_be_taken_back", flag), ("taken_back_at", timeOrNull), ("taken_back_by", textOrNull),
        ]
        let list: JSONDocument = ["type": "array", "items": OpenAPISchema.object(head + changes + tail)]
        return OpenAPISchema.object([("loads", list)])
    }

    /// A load that was taken back, with the rows that it had changed.
    static var takenBack: JSONDocument {
        let head: [(String, JSONDocument)] = [("load", integer), ("kind", kind)]
        return OpenAPISchema.object(head + changes)
    }

    private static var kind: JSONDocument {
        ["type": "string", "enum": .array(LoadKind.allCases.map { .string($0.rawValue) })]
    }

    /// The list of schemes.
    static var schemes: JSONDocument {
        let scheme = OpenAPISchema.object([
            ("advertised_app_id", integer), ("valid_from", time), ("valid_to", timeOrNull), ("name", text),
            ("currency", textOrNull), ("loaded_at", time), ("in_use", flag),
        ])
        return OpenAPISchema.object([("schemes", ["type": "array", "items": scheme])])
    }

    /// The rows of the mapping.
    static var mapping: JSONDocument {
        let states = MappingState.allCases.map { JSONDocument.string($0.rawValue) }
        let state: JSONDocument = ["type": "string", "enum": .array(states)]
        let head: [(String, JSONDocument)] = [("built_in", flag), ("state", state), ("until", textOrNull)]
        let columns: [(String, JSONDocument)] = CampaignMapping.Column.allCases.map { column in
            (column.name, column.isRequired ? text : textOrNull)
        }
        let list: JSONDocument = ["type": "array", "items": OpenAPISchema.object(head + columns)]
        return OpenAPISchema.object([("rows", list)])
    }

    /// The names of apps.
    static var appNames: JSONDocument {
        let name = OpenAPISchema.object([(AppName.Column.app.name, integer), (AppName.Column.name.name, text)])
        let list: JSONDocument = ["type": "array", "items": name]
        return OpenAPISchema.object([("names", list)])
    }
}
