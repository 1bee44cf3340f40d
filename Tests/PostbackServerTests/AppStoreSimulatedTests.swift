import AdAttribution
import Foundation
import PostbackSimulation
import TestSupport
import Testing

extension ServerTests {
    @Suite("Simulated notifications of the App Store", .installation)
    struct AppStoreSimulatedTests {
        /// Each has about five deliveries; `APP_STORE_CUSTOMERS=22000` makes more than 100,000.
        private static let customers =
            ProcessInfo.processInfo.environment["APP_STORE_CUSTOMERS"].flatMap { Int($0) } ?? 800
        private static let path = "/v1/app-store/notifications"
        private static let secret = "a-secret-of-the-simulation"

        /// Puts the simulator's apps, root and secret into the key ring.
        private func open(_ installation: Installation, root: String) throws {
            try installation.write(root, to: "store-root.crt")
            try installation.write(Self.secret + "\n", to: "store.secret", mode: 0o600)
            let apps = ["com.example.game", "com.example.news"].map {
                "{ \"bundle-id\": \"\($0)\", \"shared-secret-file\": \"store.secret\" }"
            }
            let store = "{ \"apps\": [\(apps.joined(separator: ", "))], \"test-roots\": [\"store-root.crt\"] }"
            try installation.write(
                "\(Installation.keyRing.dropLast()), \"app-store\": \(store) }", to: "keyring.json")
        }

        /// Delivers to servers in turn until one gives no answer; returns what got no 200.
        private func deliver(
            _ places: [Int], of simulator: AppStoreSimulator, to clients: [PostbackClient],
            onAnswer: @escaping @Sendable () async -> Void = {}
        ) async throws -> [Int] {
            let bodies = try places.map { try #require(try simulator.body(at: $0)) }
            return await withTaskGroup(of: [Int].self) { group in
                for (turn, client) in clients.enumerated() {
                    let mine = places.indices.filter { $0 % clients.count == turn }
                    group.addTask {
                        let share = mine.map { bodies[$0] }
                        let answers = await client.stream(share, clients: 8, to: Self.path) { _, answer in
                            await onAnswer()
                            return answer != nil
                        }
                        return zip(mine, answers).filter { $1?.status != 200 }.map { places[$0.0] }
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
        }

        @Test(
            "In random order, some three times, to two servers of which one is killed: revenue equals the truth to the last milliunit, and again with what only the history had"
        )
        func revenue() async throws {
            let log = try #require(TestEnvironment.databaseLog)
            let logSize = try Data(contentsOf: URL(filePath: log)).count
            let installation = try Installation.current
            let database = installation.database
            var configuration = AppStoreSimulator.Configuration(seed: 36, customers: Self.customers)
            configuration.v1Share = 0.2
            configuration.refundShare = 0.15
            configuration.repeatedShare = 0.1
            configuration.missingShare = 0.03
            configuration.isShuffled = true
            configuration.sharedSecret = Self.secret
            let signer = try AppStoreSimulator.signer(rootKey: try SigningKey.generate())
            let simulator = try AppStoreSimulator(configuration, signer: signer)
            #expect(simulator.count > 3_000 && simulator.undelivered > 50)
            try open(installation, root: signer.rootPEM)

            let (_, first) = try await installation.start()
            let (killed, second) = try await installation.start()
            let answered = AnswerCount()
            // Within a part.
            let death = simulator.count / 2_000 * 1_000 + 400
            var (clients, left) = ([first, second], [Int]())
            // In parts, so that not all bodies are in memory.
            for begin in stride(from: 0, to: simulator.count, by: 1_000) {
                let places = Array(begin..<min(begin + 1_000, simulator.count))
                left += try await deliver(places, of: simulator, to: clients) {
                    if answered.increment() == death { try? await killed.kill() }
                }
                if !killed.isRunning { clients = [first] }
            }
            #expect(!killed.isRunning && !left.isEmpty)
            #expect(try await deliver(left, of: simulator, to: [first]) == [])
            try await expect(simulator.truth(withHistory: false), in: database)
            #expect(
                try await database.value("SELECT count(*) FROM attribution.store_notification")
                    == "\(simulator.notifications)")

            // What the history has closes the gaps.
            let history = try (0..<simulator.undelivered).map { try #require(try simulator.undeliveredBody(at: $0)) }
            #expect(await first.stream(history, clients: 8, to: Self.path).allSatisfy { $0?.outcome == "accepted" })
            try await expect(simulator.truth(withHistory: true), in: database)
            let written = try Data(contentsOf: URL(filePath: log)).dropFirst(logSize)
            #expect(!String(decoding: written, as: UTF8.self).contains("deadlock detected"))
        }

        @Test("The command delivers to a domain alone, all are answered 200, and its truth is what the view says")
        func command() async throws {
            let installation = try Installation.current
            let path = installation.folder + "/root-key.pem"
            try installation.write(try SigningKey.generate().pem, to: "root-key.pem", mode: 0o600)
            let simulate = ["simulate", "--app-store", "40", "--seed", "3", "--key", path]
            let root = try await ServerCommand.adsign(simulate + ["--root", installation.folder + "/made.crt"])
            #expect(root.code == 0, "\(root.errors)")
            try open(installation, root: String(contentsOfFile: installation.folder + "/made.crt", encoding: .utf8))
            let (_, client) = try await installation.start()
            let truth = installation.folder + "/truth.json"
            // The same root key gives another certificate, which the ring's one stands for.
            let delivered = try await ServerCommand.adsign(
                simulate + ["--rate", "1000", "--truth", truth, "--deliver", "http://127.0.0.1:\(client.port)"])
            #expect(delivered.code == 0, "\(delivered.errors)")
            #expect(delivered.lines.first?.hasPrefix("200: ") == true && delivered.lines.count == 2)
            let object = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: truth)))
            let cells = try #require((object as? [String: Any])?["delivered"] as? [[String: Any]])
            let net = cells.reduce(0) { $0 + ($1["net"] as? Int ?? 0) }
            #expect(net > 0)
            #expect(
                try await installation.database.value(
                    "SELECT trim_scale(sum(net) * 1000) FROM attribution.report_app_store_revenue_all")
                    == "\(net)")
        }

        /// Compares views and tables with the truth.
        private func expect(_ truth: AppStoreTruth, in database: TestDatabase) async throws {
            let priced = truth.sums.filter { $0.key.currency != nil }.map { cell, sums in
                [
                    cell.environment.rawValue, cell.day, cell.bundleID, cell.productID, cell.storefront ?? "",
                    cell.currency ?? "", cell.isRenewal ? "renewal" : "new", "\(sums.transactions)", "\(sums.gross)",
                    "\(sums.refunded)", "\(sums.net)",
                ].joined(separator: " ")
            }
            let reported = try await database.column(
                """
                SELECT concat_ws(' ', environment, day, bundle_id, product_id, storefront, currency, kind, transactions,
                                 trim_scale(gross * 1000), trim_scale(refunded * 1000), trim_scale(net * 1000))
                  FROM attribution.report_app_store_revenue_all WHERE currency IS NOT NULL
                """
            ).compactMap { $0 }
            #expect(Set(reported).symmetricDifference(priced) == [])
            #expect(reported.count == priced.count)
            // Version 1 has no price, and does not say what is a renewal.
            var counts: [String: (transactions: Int64, revoked: Int64)] = [:]
            for (cell, sums) in truth.sums {
                let name = [cell.environment.rawValue, cell.day, cell.bundleID, cell.productID].joined(separator: " ")
                counts[name, default: (0, 0)].transactions += sums.transactions
                counts[name, default: (0, 0)].revoked += sums.revoked
            }
            let counted = try await database.column(
                """
                SELECT concat_ws(' ', environment, day, bundle_id, product_id, count(*), count(revoked_at))
                  FROM attribution.store_transactions GROUP BY environment, day, bundle_id, product_id
                """
            ).compactMap { $0 }
            #expect(
                Set(counted).symmetricDifference(counts.map { "\($0) \($1.transactions) \($1.revoked)" }) == [])
            #expect(counts.keys.contains { $0.hasPrefix("development ") })
            #expect(try await database.column("SELECT r FROM attribution.recount_app_store() AS r") == [])
        }
    }
}
