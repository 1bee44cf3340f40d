import AdAttribution
import Foundation
import NIOHTTP1
import PostbackSimulation
import TestSupport
import Testing

extension ServerTests {
    @Suite("PostbackServer archive")
    struct ArchiveTests {
        /// Every body with its place.
        private static let bodies = """
            SELECT concat_ws('|', lane, position, ordinal, transaction_id, line, received_at, host(source_address),
                             user_agent, payload)
              FROM attribution.postback_body ORDER BY lane, position, ordinal
            """
        private static let gzip = ["--filter", "gzip -c", "--unfilter", "gzip -dc", "--suffix", ".gz"]

        /// Archives everything before today.
        private func archive(
            _ installation: Installation, _ options: [String] = [], _ changes: [String: String] = [:]
        ) async throws -> ServerCommand {
            let today = try #require(
                try await installation.database.value("SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date"))
            return try await installation.run(
                ["archive", "--before", today] + options + [installation.folder + "/archive"], changes)
        }

        private func files(_ installation: Installation) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: installation.folder + "/archive").sorted()
        }

        /// Postbacks of all kinds that were written on these days ago, and today.
        private func written(daysAgo: [Int], count: Int = 300) async throws -> Installation {
            let installation = try Installation.current
            try FileManager.default.createDirectory(
                atPath: installation.folder + "/archive", withIntermediateDirectories: true)
            let networks = ["example123.skadnetwork", "com.example"].compactMap(AdNetworkID.init)
            var bodies = try await installation.keys.simulator(
                .everything(seed: 33, count: count, adNetworkIDs: networks)
            ).bodiesConcurrently()
            // A body that is not one line.
            let pretty = String(decoding: try TestPostback().body(installation.keys.postbackKey), as: UTF8.self)
            bodies.insert(Array("\n\(pretty.replacing(",", with: ",\r\n"))\n".utf8), at: 1)
            let size = (bodies.count + daysAgo.count) / (daysAgo.count + 1)
            for (number, days) in (daysAgo + [0]).enumerated() {
                try await installation.withServer { _, client in
                    for body in bodies[(number * size)..<min(bodies.count, (number + 1) * size)] {
                        let answer = try await client.post(body)
                        #expect(answer.status == 200)
                    }
                }
                try await installation.succeed(["fold"])
                if days > 0 { try await installation.database.moveToday(back: days) }
            }
            return installation
        }

        @Test(
            "Days become files that are checked, leave, and come back byte for byte; recounts never differ falsely",
            .installation)
        func thereAndBack() async throws {
            let installation = try await written(daysAgo: [30, 20, 10])
            let database = installation.database
            let folder = installation.folder + "/archive"
            let before = try await database.column(Self.bodies)
            let days = try await database.daysWithRows(of: "body")
            #expect(days == [30, 20, 10, 0])
            let archived = try await archive(installation, Self.gzip)
            #expect(archived.code == 0, "\(archived.errors)")
            #expect(archived.output.hasPrefix("archive: 3 days, "), "\(archived.output)")
            #expect(try await database.daysWithRows(of: "body") == [0])
            let names = try files(installation)
            #expect(names.count == 6 && names.allSatisfy { $0.hasSuffix(".ndjson.gz") || $0.hasSuffix(".gz.sha256") })
            let check = try await ChildProcess.run(
                "/bin/sh", ["-c", "sha256sum -c *.sha256 && test \"$(stat -c %a *.gz | sort -u)\" = 600"],
                folder: folder)
            #expect(check.code == 0, "\(String(decoding: check.errors, as: UTF8.self))")
            #expect(try await database.recounts() == [])
            #expect(
                try await database.value("SELECT count(*) > 0 FROM attribution.postback WHERE payload IS NULL")
                    == "true")
            let python = try await database.recountInPython()
            #expect(python.code == 2 && python.text.contains("the bodies of 3 days"), "\(python.text)")
            // Again there is nothing to do.
            #expect(try await archive(installation, Self.gzip).output == "archive: 0 days, 0 bodies\n")

            let paths = names.filter { $0.hasSuffix(".gz") }.map { folder + "/" + $0 }
            let restore = ["archive", "--restore", "--unfilter", "gzip -dc"]
            let part = try await installation.run(restore + [paths[1]])
            #expect(part.code == 0, "\(part.errors)")
            #expect(try await database.daysWithRows(of: "body") == [20, 0])
            #expect(try await database.value("SELECT count(*) FROM attribution.missing_day") == "2")
            #expect(try await database.recounts() == [])
            let all = try await installation.run(restore + paths)
            #expect(all.code == 0, "\(all.errors)")
            #expect(try await database.column(Self.bodies) == before)
            #expect(try await database.value("SELECT count(*) FROM attribution.missing_day") == "0")
            #expect(try await database.recounts() == [])
            let again = try await installation.run(restore + paths)
            #expect(again.output.hasPrefix("restore: 0 put back, "), "\(again.output)")
            #expect(try await database.column(Self.bodies) == before)
            // Days that were put back are not past their retention, until they are archived again: into the same files.
            try await installation.withServer(["BODY_RETENTION_DAYS": "1"]) { server, _ in
                let metrics = try await eventually("days were looked at") { () -> String? in
                    let text = try await PostbackClient.with(port: try await server.port(of: "admin")) {
                        try await $0.request(.GET, "/metrics").text
                    }
                    return text.contains("adattribution_oldest_day_timestamp_seconds{part=\"body\"}") ? text : nil
                }
                #expect(!metrics.contains("adattribution_partitions_dropped_total{part=\"body\"} 1"))
            }
            #expect(try await database.daysWithRows(of: "body") == days)
            #expect(try await archive(installation, Self.gzip).code == 0)
            #expect(try files(installation) == names)
            #expect(try await database.daysWithRows(of: "body") == [0])
        }

        @Test("An archive can be imported into another database, with the same figures", .installation)
        func imported() async throws {
            let installation = try await written(daysAgo: [30, 20])
            let columns = """
                SELECT concat_ws(' ', environment, ad_network_id, transaction_id, sequence_index, did_win,
                                 conversion_value, first_conversion_value, coarse_value, first_coarse_value, day)
                  FROM (SELECT *, (received_at AT TIME ZONE 'UTC')::date AS day FROM attribution.postback) AS p
                 WHERE payload IS NOT NULL AND (raised_at IS NULL OR raised_payload IS NOT NULL) ORDER BY 1
                """
            try await installation.database.moveToday(back: 10)
            let postbacks = try await installation.database.column(columns)
            #expect(try await archive(installation).code == 0)
            let paths = try files(installation).filter { $0.hasSuffix(".ndjson") }.map {
                installation.folder + "/archive/" + $0
            }
            try await TestDatabase.with { other in
                let result = try await installation.run(["import"] + paths, ["DATABASE_URL": other.serving.url])
                #expect(result.code == 0, "\(result.errors)")
                #expect(try await other.column(columns) == postbacks)
                #expect(try await other.recounts() == [])
            }
        }

        @Test(
            "A run that is killed leaves each day in the database or in its file, and the next run goes on",
            .installation)
        func killed() async throws {
            let installation = try await written(daysAgo: [60, 50, 40, 30, 20, 10], count: 1_200)
            let database = installation.database
            let before = try await database.column(Self.bodies)
            let today = try #require(try await database.value("SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date"))
            // Slow enough that kills hit every step.
            let slow = ["--filter", "sleep 0.1; gzip -c", "--unfilter", "sleep 0.1; gzip -dc", "--suffix", ".gz"]
            let arguments = ["archive", "--before", today] + slow + [installation.folder + "/archive"]
            let steps: [(what: String, isBehind: @Sendable ([String], Int) -> Bool)] = [
                ("a file is begun", { new, _ in new.contains { $0.hasSuffix(".part") } }),
                ("a file has its name", { new, _ in new.contains { $0.hasSuffix(".gz") } }),
                ("a file has its checksum", { new, _ in new.contains { $0.hasSuffix(".sha256") } }),
                ("a day has left", { _, left in left > 0 }),
            ]
            for (what, isBehind) in steps + steps {
                let (before, days) = (try files(installation), try await database.daysWithRows(of: "body").count)
                let process = try ServerProcess(arguments, environment: installation.environment())
                try await eventually(what) { () -> Bool? in
                    let left = days - (try await database.daysWithRows(of: "body").count)
                    let new = Set(try files(installation)).subtracting(before)
                    return isBehind(Array(new), left) || !process.isRunning ? true : nil
                }
                try await process.kill()
                #expect(try await database.recounts() == [])
            }
            let last = try await installation.run(arguments)
            #expect(last.code == 0, "\(last.errors)")
            #expect(try await database.daysWithRows(of: "body") == [0])
            let names = try files(installation)
            #expect(names.count { $0.hasSuffix(".gz") } == 6 && names.count { $0.hasSuffix(".sha256") } == 6)
            let restored = try await installation.run(
                ["archive", "--restore", "--unfilter", "gzip -dc"]
                    + names.filter { $0.hasSuffix(".gz") }.map { installation.folder + "/archive/" + $0 })
            #expect(restored.code == 0, "\(restored.errors)")
            #expect(try await database.column(Self.bodies) == before)
            #expect(try await database.recounts() == [])
        }

        @Test("A day stays if its file can't be written, is another one, or a reader needs the day", .installation)
        func refusals() async throws {
            let installation = try await written(daysAgo: [30])
            let database = installation.database
            let folder = installation.folder + "/archive"
            let before = try await database.column(Self.bodies)
            func expectNothingLost(_ result: ServerCommand, _ code: Int32, _ rule: String) async throws {
                #expect(result.code == code && result.errors.contains(rule), "\(result)")
                #expect(!result.errors.contains(installation.database.url))
                #expect(try await database.column(Self.bodies) == before)
            }
            let failing = ["--filter", "head -c 10; exit 3", "--unfilter", "cat"]
            try await expectNothingLost(try await archive(installation, failing), 66, "ended with exit code 3")
            #expect(try files(installation) == [])
            let lossy = ["--filter", "head -n 5; cat > /dev/null", "--unfilter", "cat"]
            try await expectNothingLost(try await archive(installation, lossy), 65, "the database has more")
            // Its file is there now and never overwritten.
            try await expectNothingLost(try await archive(installation), 65, "the database has more")
            let file = try #require(try files(installation).first)
            try Data("x\n".utf8).write(to: URL(filePath: folder + "/" + file))
            try await expectNothingLost(try await archive(installation), 65, "line 1 is not what the database has")
            try FileManager.default.removeItem(atPath: folder + "/" + file)
            try await database.run(
                """
                INSERT INTO attribution.log_reader (reader, lane, position, ordinal, moved_at)
                SELECT 'export', lane, 0, 0, clock_timestamp() FROM attribution.lane
                """)
            try await expectNothingLost(try await archive(installation), 75, "(export)")
            try await database.run("DELETE FROM attribution.log_reader WHERE reader = 'export'")
            try await expectNothingLost(
                try await installation.run(["archive", "--before", "2026-01-01", folder + "/none"]), 66,
                "is not a folder")
            for arguments in [
                [folder], ["--before", "2126-01-01", folder], ["--before", "2026-02-30", folder],
                ["--before", "2026-01-01", "--filter", "cat", folder],
                ["--before", "2026-01-01", "--restore", folder],
                ["--before", "2026-01-01", folder, folder], ["--before", "2026-01-01"],
            ] {
                let result = try await installation.run(["archive"] + arguments)
                #expect(result.code == 64, "\(arguments): \(result.errors)")
            }
            #expect(try await database.column(Self.bodies) == before)
        }

        @Test("Bodies that were changed, or do not fit the state, are not put back", .installation)
        func restoreRefuses() async throws {
            let installation = try await written(daysAgo: [30])
            let database = installation.database
            let folder = installation.folder + "/archive"
            #expect(try await archive(installation).code == 0)
            let name = try #require(try files(installation).first { $0.hasSuffix(".ndjson") })
            let rest = try await database.column(Self.bodies)
            let text = try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
            func restore(_ text: String, to file: String = "other.ndjson") async throws -> ServerCommand {
                try Data(text.utf8).write(to: URL(filePath: folder + "/" + file))
                return try await installation.run(["archive", "--restore", folder + "/" + file])
            }
            let lines = text.split(separator: "\n").map { String($0) }
            // The file that the database remembers.
            let shorter = try await restore(lines.dropLast().joined(separator: "\n") + "\n")
            #expect(shorter.code == 65 && shorter.errors.contains("is not the archive of"), "\(shorter.errors)")
            let broken = try await restore(text + "\n", to: name)
            #expect(broken.code == 65 && broken.errors.contains("SHA-256"), "\(broken.errors)")
            try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
            #expect(try await database.column(Self.bodies) == rest)
            // Without that, line by line.
            try await database.run("UPDATE attribution.dropped_day SET sha256 = NULL")
            var changed = lines
            changed[1].replace(/"ordinal":\d+/, with: "\"ordinal\":9999")
            changed[2] = changed[2].dropLast() + " }"
            changed.swapAt(4, 5)
            let some = try await restore(changed.joined(separator: "\n") + "\n")
            #expect(some.code == 65, "\(some.errors)")
            for (line, rule) in [
                (2, "no postback here has its key, its place and its value"),
                (3, "the body does not have the SHA-256 of the line"), (6, "it is not behind the line before it"),
            ] {
                #expect(some.errors.contains("other.ndjson:\(line): \(rule)"), "\(some.errors)")
            }
            #expect(
                some.output == "restore: \(lines.count - 3) put back, 0 already there, 3 refused\n",
                "\(some.output)")
            #expect(try await database.value("SELECT count(*) FROM attribution.missing_day") == "1")
            #expect(try await database.recounts() == [])
            let whole = try await installation.run(["archive", "--restore", folder + "/" + name])
            #expect(whole.output == "restore: 3 put back, \(lines.count - 3) already there, 0 refused\n", "\(whole)")
            #expect(try await database.value("SELECT count(*) FROM attribution.missing_day") == "0")
            #expect(try await database.recounts() == [])
            // A database without these postbacks takes none of them.
            try await TestDatabase.with { other in
                let result = try await installation.run(
                    ["archive", "--restore", folder + "/" + name], ["DATABASE_URL": other.serving.url])
                #expect(result.code == 65 && result.output.contains("restore: 0 put back, 0 already"))
            }
        }

        @Test(
            "A file that does not have the bodies of its day is refused whole: empty, blank, or of another day",
            .installation)
        func restoreRefusesFewer() async throws {
            let installation = try await written(daysAgo: [30, 20])
            let database = installation.database
            let folder = installation.folder + "/archive"
            #expect(try await archive(installation).code == 0)
            let rest = try await database.column(Self.bodies)
            let names = try files(installation).filter { $0.hasSuffix(".ndjson") }
            try #require(names.count == 2)
            let texts = try names.map { try String(contentsOfFile: folder + "/" + $0, encoding: .utf8) }
            for name in names { try FileManager.default.removeItem(atPath: "\(folder)/\(name).sha256") }
            let day = String(names[0].dropFirst("bodies-".count).prefix(10))
            let count = texts[0].split(separator: "\n").count
            /// Expects that a file is refused, and that nothing has changed.
            func expectRefusal(_ file: String, _ rule: String, _ options: [String] = []) async throws {
                let result = try await installation.run(["archive", "--restore"] + options + [folder + "/" + file])
                #expect(result.code == 65 && result.output == "", "\(file): \(result)")
                #expect(result.errors.contains("\(file): \(rule)"), "\(file): \(result.errors)")
                #expect(try await database.column(Self.bodies) == rest)
                #expect(try await database.value("SELECT count(*) FROM attribution.missing_day") == "2")
            }
            let rule =
                "it is not the archive of \(day) that attribution.dropped_day names: that one has \(count) bodies and "
                + "another SHA-256, and this file has 0 bodies of that day"
            for text in ["", "\n", "\n \n\r\n", texts[1]] {
                try Data(text.utf8).write(to: URL(filePath: folder + "/" + names[0]))
                try await expectRefusal(names[0], rule)
            }
            let none = "it has 0 bodies, and an archive has at least one"
            for text in ["", "\n\n"] {
                try Data(text.utf8).write(to: URL(filePath: folder + "/other.ndjson"))
                try await expectRefusal("other.ndjson", none)
            }
            // A filter that gives nothing, under the name that the archive would have with a suffix.
            let gzip = try await ChildProcess.run(
                "/bin/sh", ["-c", "gzip -c < /dev/null > '\(names[0]).gz' && cp '\(names[0]).gz' other.gz"],
                folder: folder)
            #expect(gzip.code == 0)
            try await expectRefusal(names[0] + ".gz", rule, ["--unfilter", "gzip -dc"])
            try await expectRefusal("other.gz", none, ["--unfilter", "gzip -dc"])
            // The right bodies are put back under any name that is not another day's.
            for (text, name) in zip(texts, ["other.ndjson", names[1]]) {
                try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
                #expect(try await installation.run(["archive", "--restore", folder + "/" + name]).code == 0)
            }
            #expect(try await database.value("SELECT count(*) FROM attribution.missing_day") == "0")
            #expect(try await database.recounts() == [])
        }

        @Test("Addresses past their retention are not archived, and those that left do not come back", .installation)
        func addresses() async throws {
            let installation = try await written(daysAgo: [30])
            let database = installation.database
            let retention = ["ADDRESS_RETENTION_DAYS": "20"]
            #expect(try await archive(installation, [], retention).code == 0)
            let name = try #require(try files(installation).first { $0.hasSuffix(".ndjson") })
            let path = installation.folder + "/archive/" + name
            #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("127.0.0.1"))
            #expect(try await installation.run(["archive", "--restore", path]).code == 0)
            #expect(try await database.recounts() == [])
            // The other way round: archived with addresses, put back while a server removes those of the day.
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.removeItem(atPath: path + ".sha256")
            try await database.run(
                """
                UPDATE attribution.postback_body SET source_address = '127.0.0.1';
                DELETE FROM attribution.dropped_day WHERE part = 'address';
                """)
            #expect(try await archive(installation).code == 0)
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains("127.0.0.1"))
            try await database.run(
                """
                INSERT INTO attribution.dropped_day (part, day)
                SELECT 'address', day FROM attribution.dropped_day WHERE part = 'body'
                """)
            #expect(try await installation.run(["archive", "--restore", path]).code == 0)
            #expect(
                try await database.value(
                    """
                    SELECT count(*) FROM attribution.postback_body
                     WHERE source_address IS NOT NULL
                       AND attribution.day_of_writing(position) < (clock_timestamp() AT TIME ZONE 'UTC')::date
                    """) == "0")
        }
    }
}
