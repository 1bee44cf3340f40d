import FoundationEssentials
import PostgresClient
import Testing

@Suite("Values sent to the server and back", .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
struct RoundTripTests {
    /// Sends a value, a nil, an array and an empty array, and reads back value, nil and elements.
    private func check<T: PostgresEncodable & PostgresDecodable & Equatable>(_ type: String, _ values: [T]) async throws
    {
        let one = PostgresStatement("round trip", "SELECT $1::\(type) AS v")
        let many = PostgresStatement(
            "round trip of an array", "SELECT v FROM unnest($1::\(type)[]) WITH ORDINALITY u (v, i) ORDER BY i")
        try await ClientTestDatabase.connected { connection in
            for value in values {
                var bindings = PostgresBindings()
                bindings.append(value)
                let answer: T = try connection.query(one, bindings)[0].decode(at: "v")
                #expect(answer == value)
            }
            var null = PostgresBindings()
            null.append(nil as T?)
            #expect(try connection.query(one, null)[0].decode(T?.self, at: 0) == nil)
            var all = PostgresBindings()
            all.append(values)
            #expect(try connection.query(many, all).map { row in try row.decode(T.self, at: 0) } == values)
            let withNil = values + [nil, values.first]
            var optional = PostgresBindings()
            optional.append(withNil)
            #expect(try connection.query(many, optional).map { row in try row.decode(T?.self, at: 0) } == withNil)
            var empty = PostgresBindings()
            empty.append([] as [T])
            #expect(try connection.query(many, empty).isEmpty)
        }
    }

    @Test("Numbers and booleans come back unchanged")
    func numbers() async throws {
        try await check("bool", [true, false])
        try await check("int2", [Int16.min, -1, 0, .max])
        try await check("int4", [Int32.min, -1, 0, .max])
        try await check("int8", [Int64.min, -1, 0, .max])
        try await check(
            "float8", [-Double.infinity, -0.1, 0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity])
    }

    @Test("Texts and UUIDs come back unchanged")
    func texts() async throws {
        try await check("text", ["", "a", "äöü 日本 🚀", "{\"a\",NULL}", String(repeating: "x", count: 100_000)])
        try await check("uuid", [UUID(), UUID()])
    }

    @Test("Times and days come back unchanged")
    func times() async throws {
        try await check(
            "timestamptz",
            [
                PostgresTimestamp(millisecondsSince1970: 0),
                PostgresTimestamp(millisecondsSince1970: -62_135_596_800_000),
                PostgresTimestamp(millisecondsSince1970: 1_783_123_456_789),
                PostgresTimestamp(microsecondsSince2000: .max),
                PostgresTimestamp(microsecondsSince2000: .min),
            ])
        let dates = ["1969-12-31", "1970-01-01", "2000-02-29", "0001-01-01", "9999-12-31"]
        try await check("date", dates.compactMap(PostgresDate.init))
        try await ClientTestDatabase.connected { connection in
            for text in dates {
                var bindings = PostgresBindings()
                bindings.append(date: PostgresDate(text))
                let answer: String = try connection.query(PostgresStatement("day", "SELECT $1::text"), bindings)[0]
                    .decode(at: 0)
                #expect(answer == text)
            }
        }
    }

    @Test("Bytes and JSON come back byte for byte")
    func bytes() async throws {
        let json = Array("{ \"b\" : 1,\"a\":1, \"a\":2 }".utf8)
        let everyByte = [UInt8](0...255)
        let statement = PostgresStatement(
            "bytes", "SELECT $1, $2, a FROM unnest($3::bytea[]) WITH ORDINALITY u (a, i) ORDER BY i"
        )
        try await ClientTestDatabase.connected { connection in
            var bindings = PostgresBindings()
            bindings.append(bytea: everyByte)
            bindings.append(json: json)
            bindings.append(byteas: [[], nil, everyByte])
            let rows = try connection.query(statement, bindings)
            #expect(try rows[0].decode([UInt8].self, at: 0) == everyByte)
            #expect(try rows[0].decode([UInt8].self, at: 1) == json)
            #expect(try rows[0].decode(String.self, at: 1) == String(decoding: json, as: UTF8.self))
            #expect(try rows.map { row in try row.decode([UInt8]?.self, at: 2) } == [[], nil, everyByte])
        }
    }

    @Test("A text with a zero character is refused and not cut")
    func zeroCharacter() async throws {
        let error = try await clientError {
            try await ClientTestDatabase.connected { connection in
                var bindings = PostgresBindings()
                bindings.append("before\u{0}after")
                return try connection.query(PostgresStatement("zero", "SELECT $1::text"), bindings)
            }
        }
        #expect(error.sqlState == .characterNotInRepertoire)
        #expect(!"\(error)".contains("before"))
    }

    @Test("Decoding is strict, and its error names the column")
    func strictDecoding() async throws {
        let row = try await ClientTestDatabase.connected { connection in
            try connection.query(
                PostgresStatement("strict", "SELECT 1::int4 AS one, NULL::int4 AS \"No ne\", 'x' AS x"))[0]
        }
        func reason<T: PostgresDecodable>(_ type: T.Type, _ column: String) async throws -> String? {
            let error = try await clientError { try row.decode(type, at: column) }
            #expect(error.code == .decoding)
            return error.reason
        }
        #expect(try await reason(Int64.self, "one") == "column \"one\" is int4, not int8")
        #expect(try await reason(Int64?.self, "one") == "column \"one\" is int4, not int8")
        #expect(try await reason(Int32.self, "No ne") == "column \"No ne\" is NULL")
        #expect(try await reason(Int32.self, "other") == "there is no column \"other\"")
        #expect(throws: PostgresError.self) { try row.decode(Int32.self, at: 3) }
        #expect(throws: PostgresError.self) { try row.decode(Int32.self, at: -1) }
        #expect(try row.decode(Int32.self, at: 0) == 1)
    }
}
