import Foundation
import NIOHTTP1
import PostbackService
import TestSupport
import Testing

@testable import PostbackServer

extension ServerReportTests {
    @Suite("What a monitoring system reads: metrics, alert rules, the dashboard")
    struct MonitoringTests {
        private static let rules = "examples/prometheus/alerts.yml"
        private static let dashboard = "examples/grafana/adattribution.json"
        /// What a server alone, on plain PostgreSQL and without a standby, a destination and a notification, has no series of.
        private static let elsewhere: Set = [
            "adattribution_app_store_notifications_total",
            "adattribution_cluster_batches_total", "adattribution_lanes_unavailable", "adattribution_standby_lag_bytes",
            "adattribution_standby_lag_seconds", "adattribution_forward_attempt_seconds",
            "adattribution_forward_breaker_open", "adattribution_forward_dead",
            "adattribution_forward_deliveries_total", "adattribution_forward_lag_seconds",
            "adattribution_forward_state", "adattribution_forward_waiting",
        ]

        /// Whether Prometheus' tool is installed.
        @Sendable static func hasPromtool() async -> Bool {
            (try? await promtool(["--version"]).code) == 0
        }

        private static func promtool(_ arguments: [String], input: String = "") async throws -> ChildProcess.Result {
            try await ChildProcess.run(
                "/usr/bin/env", ["promtool"] + arguments, input: Data(input.utf8),
                folder: TestEnvironment.root + "examples/prometheus")
        }

        private static func text(_ path: String) throws -> String {
            String(decoding: try TestEnvironment.file(path), as: UTF8.self)
        }

        /// The families that a text names.
        private static func families(in text: String) -> Set<String> {
            Set(
                text.matches(of: /\b(?:adattribution|process)_[a-z_]+/).map { match in
                    let name = String(match.output)
                    guard MetricHelp.texts[name] == nil else { return name }
                    return name.replacing(/_(?:bucket|sum|count)$/, with: "")
                })
        }

        private static func alerts() throws -> [String] {
            try text(rules).matches(of: /- alert: ([A-Za-z]+)/).map { String($0.output.1) }
        }

        @Test(
            "promtool accepts the alert rules; each is silent when all is well, and fires at its fault",
            .enabled("promtool is installed", hasPromtool))
        func alertRules() async throws {
            for arguments in [["check", "rules", "alerts.yml"], ["test", "rules", "alerts.test.yml"]] {
                let result = try await Self.promtool(arguments)
                let text = String(decoding: result.output + result.errors, as: UTF8.self)
                #expect(result.code == 0, "\(text)")
            }
            let tests = try Self.text("examples/prometheus/alerts.test.yml")
            for alert in try Self.alerts() {
                #expect(tests.contains("- name: \(alert)\n"), "no test lets \(alert) fire")
                #expect(tests.contains("alertname: \(alert), exp_alerts: []"), "no test has \(alert) silent")
            }
        }

        @Test("Each alert has a paragraph that says what to do, to which it leads, and none is left over")
        func paragraphs() throws {
            let alerts = try Self.alerts()
            #expect(alerts.count > 20 && Set(alerts).count == alerts.count)
            let operations = try Self.text("docs/operations.md")
            let sections = operations.split(separator: "\n#### ").dropFirst().map { section in
                section.split(separator: "\n", maxSplits: 1)
            }
            #expect(sections.compactMap { $0.first.map { String($0) } } == alerts)
            let rules = try Self.text(Self.rules)
            for (alert, section) in zip(alerts, sections) {
                #expect(section.last.map { $0.count > 100 } == true, "\(alert) has no paragraph")
                #expect(rules.contains("runbook: docs/operations.md#\(alert.lowercased())\n"))
            }
        }

        @Test("Alert rules, dashboard and documents name metrics of the server, and no others")
        func names() throws {
            let known = Set(MetricHelp.texts.keys)
            for path in [Self.rules, "examples/prometheus/alerts.test.yml", Self.dashboard] {
                let unknown = Self.families(in: try Self.text(path)).subtracting(known)
                #expect(unknown == [], "\(path)")
            }
            let documents = try FileManager.default.contentsOfDirectory(atPath: TestEnvironment.root + "docs")
            for document in documents where document.hasSuffix(".md") {
                let unknown = try Self.text("docs/\(document)").matches(of: /`(adattribution_[a-z_]+)/)
                    .map { String($0.output.1) }.filter { !known.contains($0) }
                #expect(unknown == [], "docs/\(document)")
            }
            let table = Self.families(in: try Self.text("docs/operations.md"))
            #expect(known.subtracting(table) == [], "docs/operations.md does not name them")
            _ = try JSONSerialization.jsonObject(with: Data(try TestEnvironment.file(Self.dashboard)))
        }

        @Test(
            "A server shows every metric that is described, and no other, and promtool likes their names",
            .enabled("openssl is installed", OpenSSLCommand.isInstalled), .installation)
        func shown() async throws {
            let installation = try Installation.current
            _ = try await installation.succeed(["token", "add", "ads", "--scope", "sign", "--days", "30"])
            let certificate = try await TestCertificate.create(in: installation.folder)
            let started = Date.now.timeIntervalSince1970
            let (server, client) = try await installation.start(certificate.settings)
            let admin = try await client.admin(of: server)
            let context = try TestCertificate.client(trusting: certificate.certificatePath)
            try await SocketClient.with(port: client.port, context) { socket in
                let body = try TestKeys.apple()
                let head = "POST \(PostbackClient.path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.count)\r\n\r\n"
                let answer = try await socket.exchange(Array(head.utf8) + body)
                #expect(answer.contains("\"accepted\""), "\(answer)")
            }
            let text = try await eventually("the readers of the log are shown") {
                let text = try await admin.request(.GET, "/metrics").text
                return text.contains("\nadattribution_log_reader_lag_seconds{") ? text : nil
            }
            let families = text.matches(of: /[#] TYPE ([a-z_]+)/).map { String($0.output.1) }
            #expect(Set(families).subtracting(MetricHelp.texts.keys) == [], "no text says what they mean")
            #expect(Set(MetricHelp.texts.keys).subtracting(families) == Self.elsewhere)
            for family in families {
                #expect(text.contains("# HELP \(family) \(MetricHelp.texts[family] ?? "?")\n"), "\(family)")
            }
            func value(_ series: String) throws -> Double {
                let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(series + " ") }, "\(series)")
                return try #require(Double(line.dropFirst(series.count + 1)))
            }
            #expect(text.contains("\nadattribution_build_info{version=\""))
            #expect(try value("process_cpu_seconds_total") > 0)
            #expect(try value("process_resident_memory_bytes") > 1_000_000)
            #expect(try value("process_open_fds") > 5)
            #expect(try value("process_max_fds") >= value("process_open_fds"))
            #expect(try abs(value("process_start_time_seconds") - started) < 300)
            let days = { (seconds: Double) in (seconds - started) / 86_400 }
            let certificateEnd = try value("adattribution_certificate_expiry_timestamp_seconds{listener=\"postbacks\"}")
            #expect((1...3).contains(days(certificateEnd)))
            let token = try #require(
                text.firstMatch(
                    of: /adattribution_token_expiry_timestamp_seconds\{id="[0-9a-f]{8}",name="ads"\} ([0-9.e+]+)/))
            let tokenEnd = try #require(Double(token.output.1))
            #expect((29...31).contains(days(tokenEnd)))
            guard await Self.hasPromtool() else { return }
            let result = try await Self.promtool(["check", "metrics"], input: text)
            #expect(result.code == 0, "\(String(decoding: result.output + result.errors, as: UTF8.self))")
        }

        @Test("Standbys are counted; their lag is shown to a role that may see it, else the log says what lacks")
        func standbys() async throws {
            try await TestCluster.with { cluster in
                try await Installation.with(on: cluster.url) { installation in
                    try await cluster.withStandby { _ in
                        try await installation.withServer { server, client in
                            let admin = try await client.admin(of: server)
                            try await eventually("the standby is there, its lag is not") {
                                let text = try await admin.request(.GET, "/metrics").text
                                return text.contains("\nadattribution_standbys 1\n")
                                    && text.contains("\nadattribution_standbys_hidden 1\n")
                                    && !text.contains("\nadattribution_standby_lag_bytes{") ? true : nil
                            }
                            try await eventually("the log says why") {
                                server.lines.contains { $0.contains("GRANT pg_read_all_stats") } ? true : nil
                            }
                            try await installation.database.run("GRANT pg_read_all_stats TO test_serve")
                            try await eventually("the lag is shown") {
                                let text = try await admin.request(.GET, "/metrics").text
                                return text.contains("\nadattribution_standbys_hidden 0\n")
                                    && text.contains("\nadattribution_standby_lag_bytes{standby=\"")
                                    && text.contains("\nadattribution_standby_lag_seconds{standby=\"") ? true : nil
                            }
                        }
                    }
                }
            }
        }
    }
}
