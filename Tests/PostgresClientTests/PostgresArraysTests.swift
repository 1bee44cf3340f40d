import PostgresClient
import Testing

@Suite("Arrays of columns", .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
struct PostgresArraysTests {
    private static let unnest = PostgresStatement(
        "unnest",
        """
        SELECT number, word, flag, body
          FROM unnest($1::bigint[], $2::text[], $3::boolean[], $4::text[]) AS given (number, word, flag, body)
        """)

    // Without rows nothing tells the types. The last is larger than what libpq and the socket hold at once.
    @Test("Arrays arrive as they were appended", arguments: [1, 500, 60_000]) func arrive(count: Int) async throws {
        try await ClientTestDatabase.connected { connection in
            var arrays = PostgresArrays(columns: 4, rows: count)
            for number in 0..<count {
                arrays.beginRow()
                arrays.append(Int64(number))
                arrays.append(word(number))
                arrays.append(number % 2 == 0)
                arrays.append(text: body(number))
            }
            var bindings = PostgresBindings()
            bindings.append(consume arrays)
            let rows = try connection.query(Self.unnest, bindings)
            #expect(rows.count == count)
            for (number, row) in rows.enumerated() {
                #expect(try row.decode(Int64.self, at: 0) == Int64(number))
                let stored = try row.decode(String?.self, at: 1)
                #expect(stored == word(number))
                #expect(try row.decode(Bool.self, at: 2) == (number % 2 == 0))
                #expect(try row.decode([UInt8].self, at: 3) == body(number))
            }
        }
    }

    private func word(_ number: Int) -> String? {
        number % 3 == 0 ? nil : String(repeating: "é", count: number % 50)
    }

    private func body(_ number: Int) -> [UInt8] {
        Array("{\"n\": \(number)}".utf8)
    }
}
