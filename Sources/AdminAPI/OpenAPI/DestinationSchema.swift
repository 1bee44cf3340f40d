import Forwarding
import StrictJSON

/// The schemas of what is said of destinations and of deliveries to them.
enum DestinationSchema {
    private static let text: JSONDocument = ["type": "string"]
    private static let textOrNull: JSONDocument = ["type": ["string", "null"]]
    private static let integer: JSONDocument = ["type": "integer"]
    private static let time: JSONDocument = ["type": "string", "format": "date-time"]
    private static let timeOrNull: JSONDocument = ["type": ["string", "null"], "format": "date-time"]

    /// The answer of `GET /v1/destinations`.
    static var list: JSONDocument {
        OpenAPISchema.object([
            ("destinations", ["type": "array", "items": OpenAPISchema.destinationStatus.reference])
        ])
    }

    /// How a destination is doing.
    static var status: JSONDocument { OpenAPISchema.object(members) }

    /// The same, and what the destination is.
    static var destination: JSONDocument {
        let file: JSONDocument = [
            "type": "object", "description": "the file as it was loaded; docs/forwarding.md describes it",
        ]
        return OpenAPISchema.object(
            members + [
                ("loaded_at", time), ("loaded_by", text), ("failing_since", timeOrNull), ("file", file),
            ])
    }

    private static var members: [(String, JSONDocument)] {
        let states = DestinationState.allCases.map { JSONDocument.string($0.rawValue) }
        let problem: JSONDocument = [
            "type": ["string", "null"],
            "description": "why nothing is sent though it is active, such as a missing secret",
        ]
        let lag: JSONDocument = [
            "type": "integer", "description": "age of the oldest event that was not sent yet, in seconds",
        ]
        return [
            ("name", text), ("state", ["type": "string", "enum": .array(states)]), ("state_reason", textOrNull),
            ("breaker_open", ["type": "boolean"]), ("problem", problem), ("lag_seconds", lag), ("waiting", integer),
            ("dead", integer), ("sent_24h", integer), ("failed_24h", integer), ("dead_24h", integer),
            ("replay", textOrNull),
        ]
    }

    /// The answer of `GET /v1/destinations/{name}/dead-letters`.
    static var deadLetters: JSONDocument {
        let header = OpenAPISchema.object([("name", text), ("value", text)])
        let headers: JSONDocument = ["type": "array", "items": header]
        let request = OpenAPISchema.object(
            [("method", text), ("url", text), ("headers", headers), ("body_base64", textOrNull)],
            description: "names of secrets stand in the places of secrets")
        let answer: JSONDocument = [
            "type": ["string", "null"], "description": "the first 2,048 bytes of the last answer",
        ]
        let canBeTriedAgain: JSONDocument = [
            "type": "boolean", "description": "false if the event could not become a request",
        ]
        let letter = OpenAPISchema.object([
            ("event", text), ("transaction_id", text), ("kind", text), ("attempts", integer), ("first_failed_at", time),
            ("status", ["type": ["integer", "null"]]), ("error", textOrNull), ("answer", answer),
            ("can_be_tried_again", canBeTriedAgain), ("request", request),
        ])
        return OpenAPISchema.object([
            ("next", ["type": ["string", "null"], "description": "the value of the parameter before"]),
            ("dead_letters", ["type": "array", "items": letter]),
        ])
    }
}
