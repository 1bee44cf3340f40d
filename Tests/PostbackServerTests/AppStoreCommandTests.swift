import Foundation
import NIOHTTP1
import ReceiverSupport
import TestSupport
import Testing

extension ServerTests {
    @Suite("PostbackServer app-store", .installation)
    struct AppStoreCommandTests {
        private typealias Purchase = MadeUpAppStore.Transaction

        private let store: MadeUpAppStore

        init() throws {
            store = try MadeUpAppStore()
        }

        private func arguments(_ command: String, _ receiver: TestReceiver, _ more: String...) -> [String] {
            [
                "app-store", command, "--bundle-id", "com.example", "--environment", "sandbox", "--per-second", "50",
                "--api-url", "http://127.0.0.1:\(receiver.port)",
            ] + more
        }

        private func days(_ command: String, _ receiver: TestReceiver) -> [String] {
            let day = MadeUpAppStore.dayText
            return arguments(command, receiver, "--from", day, "--to", day)
        }

        /// Ten pages of two notifications; the last notification is one of the first page.
        private func pages() throws -> [[String]] {
            var notifications = try (1...19).map { number in
                try store.notification(number, of: Purchase(id: 100 + number))
            }
            notifications.append(notifications[1])
            return stride(from: 0, to: 20, by: 2).map { Array(notifications[$0..<$0 + 2]) }
        }

        private static let counts = """
            SELECT concat_ws(' ', (SELECT count(*) FROM attribution.store_notification),
                             (SELECT count(*) FROM attribution.store_transaction),
                             (SELECT count(*) FROM attribution.rejected_notification))
            """

        /// Runs a backfill of ten pages, and kills it behind the second one.
        private func runKilled(_ backfill: [String], at receiver: TestReceiver) async throws {
            let installation = try Installation.current
            store.keep(try pages())
            store.hold(page: 2)
            let process = try ServerProcess(backfill, environment: installation.environment())
            try await eventually("two pages are stored, and the third one is asked for") {
                let stored = try await installation.database.value("SELECT page FROM attribution.store_backfill")
                return stored == "2" && receiver.requests.count == 3 ? true : nil
            }
            try await process.kill()
            #expect(try await installation.database.value(Self.counts) == "4 4 0")
            store.hold(page: nil)
        }

        @Test("A backfill that was killed behind the second page goes on with the third one, and counts each once")
        func killed() async throws {
            let installation = try Installation.current
            let receiver = try await store.start(for: installation)
            let backfill = days("backfill", receiver)
            try await runKilled(backfill, at: receiver)
            let rest = try await installation.run(backfill)
            #expect(rest.code == 0, "\(rest)")
            #expect(rest.errors.contains("backfill: an earlier run has not ended: goes on behind page 2\n"), "\(rest)")
            #expect(!rest.errors.contains("begins anew"), "\(rest)")
            #expect(rest.output == "backfill: 8 pages, 15 accepted, 1 duplicate, 0 refused\n", "\(rest)")
            let paths = receiver.requests.map(\.path)
            #expect(paths.count == 11 && paths[2] == paths[3] && paths[3].hasSuffix("paginationToken=2"), "\(paths)")
            #expect(try await installation.database.value(Self.counts) == "19 19 0")
            let progress = """
                SELECT concat_ws(' ', page, pagination_token, (finished_at IS NOT NULL)::text)
                  FROM attribution.store_backfill
                """
            #expect(try await installation.database.value(progress) == "10 true")

            // Once more from the beginning: Apple's history may have grown.
            let again = try await installation.run(backfill)
            #expect(again.code == 0 && again.output == "backfill: 10 pages, 0 accepted, 20 duplicate, 0 refused\n")
            #expect(!again.errors.contains("backfill: "), "\(again)")
            #expect(try await installation.database.value(Self.counts) == "19 19 0")
        }

        @Test("A backfill whose place Apple does not take any more says so, begins anew, and counts each once")
        func ended() async throws {
            let installation = try Installation.current
            let receiver = try await store.start(for: installation)
            let backfill = days("backfill", receiver)
            try await runKilled(backfill, at: receiver)
            store.refuse(page: 2)
            let rest = try await installation.run(backfill)
            #expect(rest.code == 0, "\(rest)")
            #expect(rest.output == "backfill: 10 pages, 15 accepted, 5 duplicate, 0 refused\n", "\(rest)")
            let notes = rest.errors.split(separator: "\n").filter { $0.hasPrefix("backfill: ") }
            #expect(
                notes == [
                    "backfill: an earlier run has not ended: goes on behind page 2",
                    "backfill: Apple does not take the place behind page 2 any more: begins anew",
                ], "\(rest)")
            #expect(receiver.requests.count == 14)
            #expect(try await installation.database.value(Self.counts) == "19 19 0")
        }

        @Test("Of a history that has forged notifications, they are in the quarantine, and the others are stored")
        func forged() async throws {
            let installation = try Installation.current
            let receiver = try await store.start(for: installation)
            let stranger = try MadeUpAppStore()
            let good = try store.notification(1, of: Purchase(id: 1))
            let broken = String(good.dropLast(4)) + "AAAA"
            store.keep([[broken, good], [try stranger.notification(2, of: Purchase(id: 2)), "garbage"]])
            let result = try await installation.run(days("backfill", receiver))
            #expect(result.code == 0 && result.output.hasSuffix(" 1 accepted, 0 duplicate, 3 refused\n"), "\(result)")
            #expect(try await installation.database.value(Self.counts) == "1 1 3")
        }

        @Test("A backfill names notifications whose values the database refuses, keeps them, and goes on to the end")
        func refusedByDatabase() async throws {
            let installation = try Installation.current
            let receiver = try await store.start(for: installation)
            let database = installation.database
            try await database.run(
                "ALTER TABLE attribution.store_notification ADD CONSTRAINT no_news CHECK (type <> 'NEWS')")
            store.keep([
                [try store.notification(1, of: Purchase(id: 1)), try store.notification(2, "NEWS")],
                [try store.notification(3, "NEWS"), try store.notification(4, of: Purchase(id: 4))],
            ])
            let result = try await installation.run(days("backfill", receiver))
            #expect(result.code == 0, "\(result)")
            #expect(result.output == "backfill: 2 pages, 2 accepted, 0 duplicate, 2 refused\n", "\(result)")
            for number in [2, 3] {
                let line = "refused: malformed: notification: must have values that the database takes; it says 23514: "
                #expect(result.errors.contains(line + "notification \(MadeUpAppStore.id(number))\n"), "\(result)")
            }
            #expect(try await database.value(Self.counts) == "2 2 2")
            // Once the database takes them, they are stored from where they are.
            try await database.run("ALTER TABLE attribution.store_notification DROP CONSTRAINT no_news")
            let moved = try await installation.succeed(["reprocess"])
            #expect(moved.contains("notifications moved in: 2 accepted, 0 duplicate; left: 0 still refused\n"))
            #expect(try await database.value(Self.counts) == "4 2 0")
        }

        @Test("Rows of the history without a notification are counted by both commands, and are no difference")
        func withoutData() async throws {
            let installation = try Installation.current
            let receiver = try await store.start(for: installation)
            store.keep([[try store.notification(1, of: Purchase(id: 1)), ""], ["", ""]])
            let stored = try await installation.succeed(days("backfill", receiver))
            #expect(stored == "backfill: 2 pages, 1 accepted, 0 duplicate, 0 refused, 3 without data\n")
            let compared = try await installation.succeed(days("reconcile", receiver))
            #expect(
                compared == "reconcile: 1 notifications compared, 0 missing, 0 transactions missing or different, "
                    + "0 refused, 3 without data\n")
        }

        @Test("A reconciliation names what is missing, older or different here, and ends with 1")
        func reconcile() async throws {
            let installation = try Installation.current
            let receiver = try await store.start(for: installation)
            let database = installation.database
            let first = try (1...2).map { try store.notification($0, of: Purchase(id: $0)) }
            store.keep([first])
            try await installation.succeed(days("backfill", receiver))
            let same = try await installation.run(days("reconcile", receiver))
            #expect(same.code == 0, "\(same)")
            #expect(same.output.hasPrefix("reconcile: 2 notifications compared, 0 missing"), "\(same)")

            // A purchase and a refund that were not delivered, and a price that somebody has changed.
            let hour: Int64 = 3_600_000
            store.keep([
                first,
                [
                    try store.notification(3, of: Purchase(id: 3)),
                    try store.notification(
                        4, "REFUND",
                        of: Purchase(id: 2, signedAt: MadeUpAppStore.day + hour, revokedAt: MadeUpAppStore.day + hour)),
                ],
            ])
            try await database.run("UPDATE attribution.store_transaction SET price = 5 WHERE transaction_id = '1'")
            let differs = try await installation.run(days("reconcile", receiver))
            #expect(differs.code == 1 && differs.errors.contains("5 differences"), "\(differs)")
            for line in [
                "missing: notification \(MadeUpAppStore.id(3)) ONE_TIME_CHARGE of \(MadeUpAppStore.dayText)T00:00:00Z",
                "missing: notification \(MadeUpAppStore.id(4)) REFUND", "missing: transaction 3 of com.example.coins",
                "different: transaction 1: stored price 5 USD",
                "different: transaction 2: stored as Apple signed it at",
                "reconcile: 4 notifications compared, 2 missing, 3 transactions missing or different, 0 refused",
            ] {
                #expect(differs.output.contains(line), "\(line): \(differs.output)")
            }
            #expect(try await database.value(Self.counts) == "2 2 0")

            try await database.run("UPDATE attribution.store_transaction SET price = 9990 WHERE transaction_id = '1'")
            try await installation.succeed(days("backfill", receiver))
            #expect(try await installation.run(days("reconcile", receiver)).code == 0)
        }

        @Test("A TEST notification that arrived is found here; otherwise Apple's word says what is wrong")
        func test() async throws {
            let installation = try Installation.current
            let receiver = try await store.start(for: installation)
            store.keep([[try store.notification(1, "TEST")]])
            let elsewhere = try await installation.run(arguments("test", receiver))
            #expect(elsewhere.code == 69 && elsewhere.errors.contains("not in this database"), "\(elsewhere)")
            #expect(elsewhere.output.contains("delivery: \(MadeUpAppStore.dayText)T00:00:00Z SUCCESS"), "\(elsewhere)")
            try await installation.succeed(days("backfill", receiver))
            let stored = try await installation.succeed(arguments("test", receiver))
            #expect(stored.hasSuffix("stored: notification \(MadeUpAppStore.id(1))\n"), "\(stored)")
            store.deliver("TLS_ISSUE")
            let failed = try await installation.run(arguments("test", receiver))
            #expect(failed.code == 69 && failed.errors.contains("TLS_ISSUE"), "\(failed)")
            // Neither the token nor the key is shown.
            let tokens = receiver.requests.compactMap { $0.headers.first(name: "Authorization")?.suffix(40) }
            for text in [elsewhere, failed].flatMap({ [$0.output, $0.errors] }) {
                #expect(!text.contains("PRIVATE KEY") && !tokens.contains(where: { text.contains($0) }))
            }
        }

        @Test("History and status show what Apple has, and refuse what is another app's")
        func lookups() async throws {
            let installation = try Installation.current
            let receiver = try await store.start(for: installation)
            let refunded = Purchase(id: 8, price: 500, revokedAt: MadeUpAppStore.day)
            let texts = [try store.sign(Purchase(id: 7)), try store.sign(refunded)]
            let other = try store.sign(Purchase(id: 9, bundleID: "com.other"))
            func history(_ texts: [String]) -> TestReceiver.Reaction {
                let list = texts.map { "\"\($0)\"" }.joined(separator: ",")
                return MadeUpAppStore.json("{\"revision\":\"1\",\"hasMore\":false,\"signedTransactions\":[\(list)]}")
            }
            store.answer("/inApps/v2/history/7", history(texts))
            store.answer("/inApps/v2/history/9", history(texts + [other]))
            store.answer(
                "/inApps/v1/subscriptions/7",
                MadeUpAppStore.json(
                    """
                    {"data":[{"subscriptionGroupIdentifier":"group","lastTransactions":[{"status":3,\
                    "originalTransactionId":"7","signedTransactionInfo":"\(texts[0])"}]}]}
                    """))
            let shown = try await installation.run(arguments("history", receiver, "--transaction", "7"))
            #expect(shown.code == 0 && shown.lines.count == 3, "\(shown)")
            #expect(shown.output.contains(" 9.99 ") && shown.output.contains(" 0.50 "), "\(shown)")
            let mixed = try await installation.run(arguments("history", receiver, "--transaction", "9"))
            #expect(mixed.code == 65 && mixed.lines.count == 3 && mixed.errors.contains("unknown_app"), "\(mixed)")
            let status = try await installation.run(arguments("status", receiver, "--transaction", "7"))
            #expect(status.code == 0 && status.output.contains("billing retry"), "\(status)")
            let unknown = try await installation.run(arguments("status", receiver, "--transaction", "1"))
            #expect(unknown.code == 69 && unknown.errors.contains("4040010"), "\(unknown)")
            #expect(try await installation.database.value(Self.counts) == "0 0 0")
        }

        @Test("Wrong options are refused before anybody is asked; an app without a key, and a refused key, are told")
        func refusals() async throws {
            let installation = try Installation.current
            let receiver = try await store.start(for: installation)
            let day = MadeUpAppStore.dayText
            for options in [
                ["--from", "2020-01-01", "--to", day], ["--from", day, "--to", "2020-01-01"],
                ["--from", "2099-01-01", "--to", "2099-01-02"], ["--from", day, "--to", day, "--per-second", "0"],
                ["--from", day, "--to", day, "--api-url", "http://receiver.example:80"],
            ] {
                let refused = try await installation.run(arguments("backfill", receiver) + options)
                #expect(refused.code == 64, "\(options): \(refused)")
            }
            #expect(receiver.requests.isEmpty)
            let other = try await installation.run([
                "app-store", "status", "--bundle-id", "com.other", "--transaction", "7",
            ])
            #expect(other.code == 78 && other.errors.contains("com.other"), "\(other)")
            store.answer("/inApps/v2/history/7", MadeUpAppStore.json("", status: 401))
            let denied = try await installation.run(arguments("history", receiver, "--transaction", "7"))
            #expect(denied.code == 78 && denied.errors.contains("key-id"), "\(denied)")
            let later = Int64(Date().timeIntervalSince1970 * 1_000) + 3_600_000
            store.answer(
                "/inApps/v2/history/7",
                .status(429, headers: ["Retry-After: \(later)"], body: "{\"errorCode\":4290000}"))
            let limited = try await installation.run(arguments("history", receiver, "--transaction", "7"))
            #expect(limited.code == 75, "\(limited)")
        }
    }
}
