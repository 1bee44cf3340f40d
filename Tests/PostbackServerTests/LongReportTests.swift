import Foundation
import PostgresClient
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("A report that runs for long")
    struct LongReportTests {
        enum Maker: CaseIterable {
            case migrate
            case serve
        }

        private static let partitions = """
            SELECT inhrelid::regclass::text FROM pg_inherits
             WHERE inhparent IN ('attribution.postback_body'::regclass, 'attribution.postback_log'::regclass)
             ORDER BY 1
            """

        @Test(
            "A long report on attribution.postback blocks neither new partitions nor writers", .installation,
            arguments: Maker.allCases
        )
        func partitions(_ maker: Maker) async throws {
            let installation = try Installation.current
            let database = installation.database
            let all = try await database.column(Self.partitions)
            let bodies = try installation.keys.simulate(seed: 7, count: 300)
            try await installation.withServer { _, client in
                for body in bodies.prefix(100) {
                    #expect(try await client.post(body).outcome == "accepted")
                }
                // The service makes partitions when it starts, so those are missing from here on.
                let days = Set(all.compactMap { $0?.suffix(8) }).sorted().suffix(3)
                for day in days {
                    try await database.run(
                        "DROP TABLE attribution.postback_body_\(day), attribution.postback_log_\(day)")
                }
                #expect(try await database.column(Self.partitions).count == all.count - 2 * days.count)
                try await database.withSession { analyst in
                    try await analyst.execute(
                        script: """
                            BEGIN ISOLATION LEVEL REPEATABLE READ;
                            DECLARE report CURSOR FOR
                                SELECT payload, raised_payload FROM attribution.postback;
                            FETCH 10 FROM report;
                            """)
                    for body in bodies[100..<200] {
                        #expect(try await client.post(body).outcome == "accepted")
                    }
                    switch maker {
                    case .migrate:
                        #expect(try await installation.run(["migrate"]).code == 0)
                        #expect(try await database.column(Self.partitions) == all)
                    case .serve:
                        try await installation.withServer { second, _ in
                            try await eventually("the partitions are made") {
                                try await database.column(Self.partitions) == all ? true : nil
                            }
                            #expect(!second.lines.contains { $0.contains("partitions wait") })
                        }
                    }
                    for body in bodies[200...] {
                        #expect(try await client.post(body).outcome == "accepted")
                    }
                    // The report still sees what it saw when it began.
                    let rest = try await analyst.query(PostgresStatement("rest", "FETCH ALL FROM report"))
                    #expect(rest.count == 90)
                    try await analyst.execute(script: "COMMIT")
                }
            }
            #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "300")
            #expect(try await database.recounts() == [])
        }
    }
}
