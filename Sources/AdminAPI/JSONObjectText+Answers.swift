import Observability
import PostgresClient
import StrictJSON

extension JSONObjectText {
    /// Adds a string, or null.
    mutating func append(_ name: String, orNull text: String?) {
        if let text { append(name, text) } else { append(name, json: Self.null) }
    }

    /// Adds an integer, or null.
    mutating func append(_ name: String, orNull integer: Int64?) {
        if let integer { append(name, integer) } else { append(name, json: Self.null) }
    }

    /// Adds an array of values that are JSON already.
    mutating func append(_ name: String, list: [[UInt8]]) {
        append(name, json: Array("[".utf8) + list.joined(separator: [UInt8(ascii: ",")]) + Array("]".utf8))
    }

    private static var null: [UInt8] { Array("null".utf8) }
}

extension PostgresTimestamp {
    /// The time in UTC, to the millisecond.
    var rfc3339: String { LogTimestamp(milliseconds: millisecondsSince1970).rfc3339 }
}
