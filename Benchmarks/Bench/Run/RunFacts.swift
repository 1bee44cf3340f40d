import Foundation

/// What the table says of the machine, the versions and the run.
struct RunFacts {
    let bench: Workbench

    func all() async throws -> [Report.Fact] {
        let settings = bench.settings
        let baseline =
            switch bench.baseline {
            case .success: "commit \(settings.baseline)"
            case .failure(let error): error.description
            }
        return [
            Report.Fact(name: "date", text: Date.now.ISO8601Format()),
            Report.Fact(name: "commit", text: await output("git", ["describe", "--always", "--dirty"])),
            Report.Fact(name: "processor", text: Self.value(of: "model name", in: "/proc/cpuinfo")),
            Report.Fact(
                name: "cores",
                text: "\(bench.tools.cores.numbers.count) used of \(ProcessInfo.processInfo.processorCount)"),
            Report.Fact(name: "memory", text: Self.value(of: "MemTotal", in: "/proc/meminfo")),
            Report.Fact(name: "kernel", text: await output("uname", ["-srm"])),
            Report.Fact(name: "swift", text: await output("swift", ["--version"])),
            Report.Fact(name: "postgresql", text: await query("SELECT version()")),
            Report.Fact(name: "postgresql settings", text: await query(Self.settingsQuery)),
            Report.Fact(name: "openssl", text: await output("openssl", ["version"])),
            Report.Fact(name: "libpq", text: await output("pkg-config", ["--modversion", "libpq"])),
            Report.Fact(name: "baseline", text: baseline),
            Report.Fact(
                name: "rounds",
                text: "\(settings.rounds) of \(settings.seconds) s a sample, HTTP \(2 * settings.seconds) s"),
            Report.Fact(name: "settings", text: serverSettings),
        ]
    }

    /// Settings of the server that were passed on.
    private var serverSettings: String {
        let settings = bench.tools.environment.filter { name, _ in
            ["VERIFIER", "CONVERSION_POLICY"].contains(name) || name.hasPrefix("INGEST_")
        }
        return settings.isEmpty ? "defaults" : settings.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
    }

    private func output(_ program: String, _ arguments: [String]) async -> String {
        let text = (try? await bench.tools.run(program, arguments)) ?? "unknown"
        return text.split(separator: "\n").first.map(String.init) ?? "unknown"
    }

    private func query(_ query: String) async -> String {
        (try? await bench.own.column(query).first) ?? "unknown"
    }

    /// Those that matter to speed.
    private static let settingsQuery = """
        SELECT string_agg(name || ' ' || current_setting(name), ', ' ORDER BY name) FROM pg_settings
         WHERE name IN ('shared_buffers', 'work_mem', 'max_wal_size', 'random_page_cost', 'jit', 'fsync',
                        'synchronous_commit', 'full_page_writes', 'wal_compression', 'autovacuum')
        """

    /// What follows `NAME:` in a file of the kernel's.
    private static func value(of name: String, in path: String) -> String {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: ":", maxSplits: 1).last.map { String($0).trimmed } ?? "unknown"
    }
}
