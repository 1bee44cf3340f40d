import PostgresClient
import Testing

@Suite(.enabled(if: TestDatabase.isAvailable, TestDatabase.reason))
struct CopyTests {
    private static let make = PostgresStatement(
        "make", "CREATE TEMPORARY TABLE IF NOT EXISTS copied (number bigint, word text, flag boolean, body json)")
    private static let copy = PostgresStatement(
        "copy", "COPY pg_temp.copied (number, word, flag, body) FROM STDIN (FORMAT binary)")
    private static let read = PostgresStatement(
        "read", "SELECT number, word, flag, body FROM pg_temp.copied ORDER BY number")

    private func fill(_ rows: inout some PostgresRowWriter, _ count: Int) {
        for number in 0..<count {
            rows.beginRow()
            rows.append(Int64(number))
            rows.append(number % 3 == 0 ? nil : String(repeating: "é", count: number % 50))
            rows.append(number % 2 == 0)
            rows.append(json: Array("{\"n\": \(number)}".utf8))
        }
    }

    private func check(_ rows: PostgresResult, _ count: Int) throws {
        #expect(rows.count == count)
        for (number, row) in rows.enumerated() {
            #expect(try row.decode(Int64.self, at: 0) == Int64(number))
            let word = try row.decode(String?.self, at: 1)
            #expect(word == (number % 3 == 0 ? nil : String(repeating: "é", count: number % 50)))
            #expect(try row.decode(Bool.self, at: 2) == (number % 2 == 0))
            #expect(try row.decode([UInt8].self, at: 3) == Array("{\"n\": \(number)}".utf8))
        }
    }

    // The last is larger than what libpq and the socket hold at once.
    @Test(arguments: [0, 1, 500, 60_000]) func rowsArriveAsTheyWereGiven(count: Int) async throws {
        try await TestDatabase.connected { connection in
            try connection.once(Self.make)
            var rows = PostgresCopyRows(columns: 4)
            fill(&rows, count)
            #expect(rows.count == count)
            #expect(try connection.copy(Self.copy, rows) == count)
            try check(connection.query(Self.read), count)
        }
    }

    @Test(arguments: [0, 1, 500]) func arraysArriveAsTheyWereGiven(count: Int) async throws {
        try await TestDatabase.connected { connection in
            var arrays = PostgresArrays(columns: 4, rows: count)
            fill(&arrays, count)
            // Without rows nothing tells the types.
            guard count > 0 else { return }
            let unnest = PostgresStatement(
                "unnest",
                """
                SELECT number, word, flag, body
                  FROM unnest($1::bigint[], $2::text[], $3::boolean[], $4::json[]) AS given (number, word, flag, body)
                """)
            try check(connection.query(unnest, PostgresBindings(arrays)), count)
        }
    }

    @Test func whatTheServerRefusesLeavesNothingAndTheConnectionGoesOn() async throws {
        try await TestDatabase.connected { connection in
            try connection.once(Self.make)
            var broken = PostgresCopyRows(columns: 4)
            fill(&broken, 10_000)
            broken.beginRow()
            broken.append(Int64(-1))
            broken.append("x")
            broken.append(true)
            broken.append(json: Array("{".utf8))
            let error = #expect(throws: PostgresError.self) { try connection.copy(Self.copy, broken) }
            #expect(error?.sqlState?.code == "22P02")
            var short = PostgresCopyRows(columns: 3)
            short.beginRow()
            let shortError = #expect(throws: PostgresError.self) { try connection.copy(Self.copy, short) }
            #expect(shortError?.sqlState?.code == "22P04")
            #expect(try connection.query(Self.read).isEmpty)
            // No COPY at all: the statement is run, and the connection given up, since what follows would be taken for
            // something else.
            let other = #expect(throws: PostgresError.self) {
                try connection.copy(PostgresStatement("select", "SELECT 1"), short)
            }
            #expect(other?.code == .copyRefused)
            let isOpen = connection.isOpen
            #expect(!isOpen)
        }
    }

    @Test func aStatementIsRunOnceAConnection() async throws {
        try await TestDatabase.connected { connection in
            let make = PostgresStatement("make_once", "CREATE TEMPORARY TABLE made_once (number integer)")
            try connection.once(make)
            try connection.once(make)
            let error = #expect(throws: PostgresError.self) {
                try connection.transaction("inside") { try $0.once(PostgresStatement("other", "SELECT 1")) }
            }
            #expect(error?.code == .transactionInProgress)
        }
    }
}
