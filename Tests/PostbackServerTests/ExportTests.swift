import AdAttribution
import EventLog
import Foundation
import PostbackSimulation
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("PostbackServer export")
    struct ExportTests {
        private func run(_ arguments: [String], _ installation: Installation) async throws -> ServerCommand {
            try await installation.run(["export"] + arguments)
        }

        /// An empty folder for events, and so many bodies of all kinds.
        private func simulated(_ count: Int) async throws -> (Installation, folder: String, bodies: [[UInt8]]) {
            let installation = try Installation.current
            let folder = installation.folder + "/events"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let networks = ["example123.skadnetwork", "com.example"].compactMap(AdNetworkID.init)
            let bodies = try await installation.keys.simulator(
                .everything(seed: 14, count: count, adNetworkIDs: networks)
            ).bodiesConcurrently()
            return (installation, folder, bodies)
        }

        private func post(_ bodies: some Sequence<[UInt8]>, _ installation: Installation) async throws {
            try await installation.withServer { _, client in
                for body in bodies {
                    let answer = try await client.post(body)
                    #expect(answer.status == 200)
                }
            }
        }

        @Test("Files hold every event once as the tables have it; another run adds only what is new", .installation)
        func folder() async throws {
            let (installation, folder, bodies) = try await simulated(300)
            try await post(bodies.prefix(200), installation)
            let first = try await run([folder], installation)
            #expect(first.code == 0, "\(first.errors)")
            #expect(try EventFiles.events(in: folder) == (try await installation.database.exportedEvents()))
            #expect(try EventFiles.names(in: folder) == ["cursor.json", "cursor.json.lock", "events-000000001.ndjson"])
            let mode = try FileManager.default.attributesOfItem(atPath: folder + "/events-000000001.ndjson")
            #expect(mode[.posixPermissions] as? Int == 0o600)
            // Nothing new, no file.
            #expect(try await run([folder], installation).errors.hasPrefix("export: 0 events, "))
            #expect(try EventFiles.names(in: folder).count == 3)
            try await post(bodies.suffix(100), installation)
            #expect(try await run(["--file-events", "1", folder], installation).code == 0)
            #expect(try EventFiles.names(in: folder).last == "events-000000002.ndjson")
            #expect(try EventFiles.events(in: folder) == (try await installation.database.exportedEvents()))
        }

        @Test(
            "A run that was killed before or after the cursor was replaced is finished by the next one", .installation)
        func killed() async throws {
            let (installation, folder, bodies) = try await simulated(60)
            let segment = folder + "/events-000000002.ndjson"
            try await post(bodies.prefix(30), installation)
            #expect(try await run([folder], installation).code == 0)
            let cursor = try Data(contentsOf: URL(filePath: folder + "/cursor.json"))
            try await post(bodies.suffix(30), installation)
            // Before: half a part, and the old cursor.
            try Data("{\"format\":1,\"id\":\"0-".utf8).write(to: URL(filePath: segment + ".part"))
            #expect(try await run([folder], installation).code == 0)
            #expect(try EventFiles.events(in: folder) == (try await installation.database.exportedEvents()))
            // After: the new cursor, and the part without its name.
            try FileManager.default.moveItem(atPath: segment, toPath: segment + ".part")
            #expect(try await run([folder], installation).errors.hasPrefix("export: 0 events"))
            #expect(try EventFiles.events(in: folder) == (try await installation.database.exportedEvents()))
            #expect(try EventFiles.names(in: folder).filter { $0.hasSuffix(".part") } == [])
            // An older cursor in a folder with later files: no file is replaced.
            try cursor.write(to: URL(filePath: folder + "/cursor.json"))
            let older = try await run([folder], installation)
            #expect(older.code == 66 && older.errors.contains("exists, and is never overwritten"), "\(older.errors)")
            try FileManager.default.removeItem(atPath: folder + "/cursor.json")
            let none = try await run([folder], installation)
            #expect(none.code == 66 && none.errors.contains("no cursor.json"), "\(none.errors)")
        }

        @Test(
            "Exports that are killed again and again while postbacks arrive miss nothing and repeat nothing",
            .installation)
        func killedAgain() async throws {
            let (installation, folder, bodies) = try await simulated(2_400)
            try await installation.withServer { _, client in
                for round in 0..<12 {
                    async let posted: Void = { @Sendable () async throws -> Void in
                        for body in bodies[(200 * round)..<(200 * (round + 1))] {
                            let answer = try await client.post(body)
                            #expect(answer.status == 200)
                        }
                    }()
                    try await EventFiles.followAndKill(round: round, reader: "killed", folder, installation)
                    try await posted
                }
            }
            let last = try await run(["--reader", "killed", folder], installation)
            #expect(last.code == 0, "\(last.errors)")
            let events = try EventFiles.events(in: folder)
            #expect(events.count > 1_500)
            #expect(events == (try await installation.database.exportedEvents()))
            let state = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: folder + "/cursor.json")))
            #expect((state as? NSDictionary)?["events"] as? Int == events.count)
            // In six rounds an export was killed after it had finished a new file.
            #expect(try EventFiles.finished(in: folder).count >= 6)
        }

        @Test(
            "With - the lines go to standard output, from the start, from a day, or from a file with the cursor",
            .installation)
        func stream() async throws {
            let (installation, folder, bodies) = try await simulated(40)
            try await post(bodies.prefix(25), installation)
            try await installation.database.moveToday(back: 3)
            try await post(bodies.suffix(15), installation)
            let expected = try await installation.database.exportedEvents()
            #expect(try EventFiles.events((try await run(["-"], installation)).output.utf8) == expected)
            let yesterday = try #require(
                try await installation.database.value("SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date - 1"))
            let recent = try await run(["--from", yesterday, "-"], installation)
            #expect(try EventFiles.events(recent.output.utf8).count < expected.count)
            let kept = ["--cursor", folder + "/kept.json", "-"]
            #expect(try EventFiles.events((try await run(kept, installation)).output.utf8) == expected)
            #expect(try await run(kept, installation).output == "")
        }

        @Test(
            "A reader keeps the days that were not exported; without it, a cursor whose days have left ends with 65",
            .installation)
        func reader() async throws {
            let (installation, folder, bodies) = try await simulated(40)
            let database = installation.database
            try await post(bodies, installation)
            try await database.moveToday(back: 9)
            try await installation.succeed(["fold"])
            let early = try await database.withStore { store in
                let cursor = try await store.events(after: .start, limit: 5).next
                let name = try #require(LogReaderName("warehouse"))
                try await store.logReader(named: name).create(at: cursor)
                return Data("{\"format\":1,\"cursor\":\"\(cursor)\",\"events\":5}".utf8)
            }
            let day = try await database.value(
                "SELECT min(attribution.day_of_writing(position)) FROM attribution.postback_log")
            let drop = "SELECT is_dropped FROM attribution.drop_day('log', '\(try #require(day))')"
            #expect(try await database.value(drop) == "false")
            // A new folder begins before the place of the reader: somebody else has moved it.
            let foreign = try await run(["--reader", "warehouse", folder], installation)
            #expect(foreign.code == 65 && foreign.errors.contains("can't move back"), "\(foreign.errors)")
            try early.write(to: URL(filePath: folder + "/cursor.json"))
            #expect(try await run(["--reader", "warehouse", folder], installation).code == 0)
            let all = try await database.exportedEvents()
            #expect(try EventFiles.events(in: folder).count == all.count - 5)
            #expect(try await database.value(drop) == "true")
            #expect(try await run(["--reader", "warehouse", folder], installation).errors.hasPrefix("export: 0 "))
            try early.write(to: URL(filePath: folder + "/late.json"))
            let late = try await run(["--cursor", folder + "/late.json", "-"], installation)
            #expect(late.code == 65 && late.errors.contains("events would be missed"), "\(late.errors)")
        }

        @Test("Two exports can't work in one folder, and wrong options and folders are named", .installation)
        func refused() async throws {
            let (installation, folder, _) = try await simulated(1)
            let follower = try ServerProcess(["export", "--follow", folder], environment: installation.environment())
            try await eventually("the export has begun") {
                (try? EventFiles.names(in: folder))?.contains("cursor.json") == true ? true : nil
            }
            let second = try await run([folder], installation)
            #expect(second.code == 66 && second.errors.contains("another export is at work"), "\(second.errors)")
            try await follower.kill()
            #expect(try await run([folder], installation).code == 0)
            let missing = try await run([folder + "/none"], installation)
            #expect(missing.code == 66 && missing.errors.contains("is not a folder"))
            for (arguments, text) in [
                (["--cursor", "x", folder], "--cursor is for standard output"),
                (["--reader", "figures", folder], "It must be a name"),
                (["--reader", "kafka", "-"], "--reader needs --cursor"),
                (["--filter", "cat", "-"], "Use a pipe"), (["--suffix", ".gz", folder], "--suffix needs --filter"),
                (["--file-events", "0", folder], "from 1 to 1000000000"),
                (["--from", "today", folder], "a day such"),
            ] {
                let result = try await run(arguments, installation)
                #expect(result.code == 64 && result.errors.contains(text), "\(arguments): \(result.errors)")
            }
        }
    }
}
