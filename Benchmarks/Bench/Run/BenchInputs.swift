import Foundation

/// The files that a run works through.
struct BenchInputs {
    static let impressionCount = 200_000
    static let importCount = 100_000

    /// So many a second that a run over HTTP does not come to their end.
    ///
    /// If it does, it is shorter.
    private static let httpRate = 20_000
    /// The same of notifications of the App Store, which are larger.
    private static let notificationRate = 3_000

    let settings: RunSettings
    let tools: Tools
    let folder: String
    let programs: String

    /// Makes the key ring, and the files that the groups of the run need.
    func make() async throws {
        let keys = folder + "/keys"
        try await tools.run("scripts/demo-keyring.sh", [keys, programs + "/adsign"])
        let groups = Set(settings.groups)
        if groups.contains(.sign) { try writeImpressions() }
        let count = Self.httpRate * 2 * settings.seconds
        if !groups.isDisjoint(with: [.cardinalityHTTP, .cardinalityStore]) {
            try await writeCardinalityLoads(count: max(count, Self.importCount))
        }
        if groups.contains(.http) { try await writePostbacks("2.0", key: "load-test-p192", count: count) }
        if groups.contains(.appStore) {
            try await writeNotifications(count: Self.notificationRate * 2 * settings.seconds)
        }
        guard !groups.isDisjoint(with: [.http, .import, .lanes, .cluster, .forward, .appStore]) else { return }
        try await writePostbacks("4.0", key: "load-test-p256", count: max(count, Self.importCount))
        try await tools.run(
            "head", ["-n", String(Self.importCount), folder + "/postbacks-4.0.ndjson"], to: folder + "/import.ndjson")
    }

    /// What `adsign sign --batch` reads; every impression is another one.
    private func writeImpressions() throws {
        var text = ""
        for index in 0..<Self.impressionCount {
            let nonce = "b91f3d67-89bf-4cad-85ba-" + String(format: "%012x", index)
            text += """
                {"version":"4.0","ad-network-id":"example123.skadnetwork","source-identifier":\(1_000 + index % 9_000),\
                "itunes-item-id":525463029,"nonce":"\(nonce)","source-app-id":1234567891,"fidelity-type":1,\
                "timestamp":\(1_676_057_605_705 + index)}

                """
        }
        try Data(text.utf8).write(to: URL(filePath: folder + "/impressions.ndjson"))
    }

    /// In the order of arrival, each once, under the test root of a key ring of its own.
    private func writeNotifications(count: Int) async throws {
        Console.say("about \(count) notifications of the App Store")
        let keys = Workbench.storeKeys(in: folder)
        try await tools.run("scripts/demo-keyring.sh", [keys, programs + "/adsign", "app-store"])
        let file = folder + "/notifications.ndjson"
        try await tools.run(
            programs + "/adsign",
            [
                // Five for each customer, more or less.
                "simulate", "--app-store", String(max(1, count / 5)), "--seed", "1", "--begin", "2025-01-01",
                "--bundle-id", AppStoreMeasurement.bundleID, "--late-share", "0", "--repeated-share", "0", "--key",
                keys + "/store-root.pem",
            ], to: file)
        try await tools.run("head", ["-n", "2000", file], to: Workbench.someNotifications(in: folder))
    }

    /// A file for each occasion: the nth lines of all have the same sources and lines, and other transactions.
    private func writeCardinalityLoads(count: Int) async throws {
        for load in CardinalityLoad.allCases {
            for occasion in CardinalityLoad.occasions {
                try await writePostbacks(
                    "4.0", key: "load-test-p256", count: count, to: load.file(occasion),
                    options: load.options + ["--occasion", String(occasion)])
            }
        }
    }

    /// In two parts at once, since the simulator uses one core.
    private func writePostbacks(
        _ version: String, key: String, count: Int, to name: String? = nil, options: [String] = []
    ) async throws {
        Console.say("\(count) postbacks of version \(version)" + (name.map { ", " + $0 } ?? ""))
        let file = "\(folder)/postbacks-\(name ?? version).ndjson"
        func simulate(seed: Int, to path: String) async throws {
            let arguments =
                [
                    "simulate", "--version", version, "--key", "\(folder)/keys/\(key).pem", "--count",
                    String((count + 1) / 2), "--seed", String(seed),
                ] + options
            try await tools.run(programs + "/adsign", arguments, to: path)
        }
        async let first: Void = simulate(seed: 1, to: file)
        async let second: Void = simulate(seed: 2, to: file + ".rest")
        _ = try await (first, second)
        try await tools.run("cat", [file + ".rest"], to: file, append: true)
        try FileManager.default.removeItem(atPath: file + ".rest")
    }
}

extension Workbench {
    /// The impressions to sign.
    var impressions: String { folder + "/impressions.ndjson" }
    /// The archive to import.
    var archive: String { folder + "/import.ndjson" }
}
