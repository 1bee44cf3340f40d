import Foundation
import PostbackStore
import PostgresClient

/// A column of a statement with `unnest`: its name, its type, and its value in a row.
struct StoreColumn<Row: Sendable>: Sendable {
    let name: String
    let type: String
    let bind: @Sendable (_ rows: [Row], inout PostgresBindings) -> Void

    private init(_ name: String, _ type: String, _ bind: @escaping @Sendable ([Row], inout PostgresBindings) -> Void) {
        self.name = name
        self.type = type
        self.bind = bind
    }

    static func text(_ name: String, _ value: @escaping @Sendable (Row) -> String?) -> Self {
        Self(name, "text") { $1.append($0.map(value)) }
    }

    /// A number of any size: the server refuses one that is too large for its column.
    static func integer(_ name: String, _ value: @escaping @Sendable (Row) -> Int64?) -> Self {
        Self(name, "bigint") { $1.append($0.map(value)) }
    }

    static func boolean(_ name: String, _ value: @escaping @Sendable (Row) -> Bool?) -> Self {
        Self(name, "boolean") { $1.append($0.map(value)) }
    }

    static func time(_ name: String, _ value: @escaping @Sendable (Row) -> PostgresTimestamp?) -> Self {
        Self(name, "timestamptz") { $1.append($0.map(value)) }
    }

    /// A time in milliseconds since 1970.
    static func milliseconds(_ name: String, _ value: @escaping @Sendable (Row) -> Int64?) -> Self {
        time(name) { value($0).map(PostgresTimestamp.init(millisecondsSince1970:)) }
    }

    static func uuid(_ name: String, _ value: @escaping @Sendable (Row) -> UUID?) -> Self {
        Self(name, "uuid") { $1.append($0.map(value)) }
    }

    static func bytes(_ name: String, _ value: @escaping @Sendable (Row) -> [UInt8]?) -> Self {
        Self(name, "bytea") { $1.append(byteas: $0.map(value)) }
    }

    static func address(_ name: String, _ value: @escaping @Sendable (Row) -> IPAddress?) -> Self {
        Self(name, "inet") { $1.append($0.map(value)) }
    }
}

extension Array {
    /// The names, each behind a prefix.
    func names<Row: Sendable>(_ prefix: String = "") -> String where Element == StoreColumn<Row> {
        map { prefix + $0.name }.joined(separator: ", ")
    }

    /// What an update takes from the offered row.
    func assignments<Row: Sendable>() -> String where Element == StoreColumn<Row> {
        map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", ")
    }

    /// The arrays as the rows `offered` of a FROM clause; `ordinal` counts them from 1.
    func rows<Row: Sendable>() -> String where Element == StoreColumn<Row> {
        let arrays = enumerated().map { "$\($0.offset + 1)::\($0.element.type)[]" }.joined(separator: ", ")
        return "unnest(\(arrays)) WITH ORDINALITY AS offered (\(names()), ordinal)"
    }

    /// The parameters: an array for each column.
    func bindings<Row: Sendable>(_ rows: [Row]) -> PostgresBindings where Element == StoreColumn<Row> {
        var bindings = PostgresBindings()
        for column in self { column.bind(rows, &bindings) }
        return bindings
    }
}
