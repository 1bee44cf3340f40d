import Foundation

/// One run from building the programs to the table.
struct BenchRun {
    private let settings: RunSettings
    private let tools: Tools
    private let folder: String

    private static let state = FileManager.default.currentDirectoryPath + "/.local"

    /// - Throws: `BenchError`, or `CancellationError` if it was told to stop; nothing is left running then.
    static func run(_ settings: RunSettings, environment: [String: String]) async throws {
        let cores = try CoreSet.firstTwo()
        if cores.numbers.count < 2 { Console.complain("there is one core only: figures for two cores are taken on it") }
        let tools = Tools(cores: cores, environment: Tools.cleanEnvironment(environment))
        let lock = try FileLock(state + "/bench.lock", or: "another `make bench` is at work in this checkout")
        let folder = state + "/bench"
        let run = BenchRun(settings: settings, tools: tools, folder: folder)
        // What a run left that was killed outright.
        try await run.removeFolder()
        do {
            try await run.measure()
        } catch {
            try await run.removeFolder()
            throw error
        }
        try await run.removeFolder()
        lock.release()
    }

    /// Also in a task that was cancelled.
    private func removeFolder() async throws {
        let (folder, tools) = (folder, tools)
        try await Task {
            guard FileManager.default.fileExists(atPath: folder) else { return }
            try await MeasuredCluster.destroy(folder + "/postgres", with: tools)
            try await CitusNodes.destroy(folder + "/citus", with: tools)
            try FileManager.default.removeItem(atPath: folder)
        }.value
    }

    private func measure() async throws {
        step("Build")
        let programs =
            if let programs = settings.programs { BaselineBuild.absolute(programs) } else {
                try await BaselineBuild.build(["PostbackServer", "adsign", "bench"], in: ".", with: tools)
            }
        let baseline = try await makeBaseline()
        step("Prepare")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let bench = try await prepare(programs, baseline)
        let lanes = LanesMeasurement(bench: bench)
        let laneStores = settings.groups.contains(.lanes) ? try await lanes.makeStores() : []
        let cluster = ClusterMeasurement(bench: bench)
        let clusterStores = settings.groups.contains(.cluster) ? try await cluster.makeStores() : []
        if settings.needsBaselineCommit
            || !Set(settings.groups).isDisjoint(with: [.cardinalityHTTP, .cardinalityStore])
        {
            try await StoringMeasurement(bench: bench).warmUp()
        }
        for round in 1...settings.rounds {
            step("Round \(round) of \(settings.rounds)")
            try await warnIfBusy()
            for group in settings.groups { try await measure(group, bench, round: round) }
            if !laneStores.isEmpty { try await lanes.run(round: round, laneStores) }
            for (lanes, store) in clusterStores { try await cluster.run(round: round, lanes: lanes, store) }
        }
        if settings.groups.contains(.growth) {
            step("Growth to \(settings.growthRows) postbacks")
            try await GrowthMeasurement(bench: bench, baselineSource: try? baseline.get().source).run()
        }
        if settings.groups.contains(.cardinalityGrowth) {
            step("Two stores of \(settings.growthRows) postbacks, of 20 sources and of a hundred thousand")
            try await CardinalityGrowth(bench: bench).run()
        }
        if settings.groups.contains(.snapshot) {
            step("A snapshot held open for \(settings.snapshotSeconds) seconds")
            try await SnapshotMeasurement(bench: bench).run()
        }
        if settings.groups.contains(.export) {
            step("Export of \(settings.exportRows) events")
            try await ExportMeasurement(bench: bench).run()
        }
        if settings.groups.contains(.forward) {
            step("A destination that is \(settings.forwardRows) events behind")
            try await ForwardCatchUp(bench: bench).run()
        }
        step("Table")
        let facts = try await RunFacts(bench: bench).all()
        let report = Report(facts: facts, samples: bench.recorder.samples)
        try report.write(to: Self.state + "/bench.json")
        report.lines.forEach(Console.say)
    }

    /// Without a baseline the other figures are taken all the same.
    private func makeBaseline() async throws -> Result<BaselineBuild, BenchError> {
        guard settings.needsBaselineCommit else { return .failure(BenchError("not asked for")) }
        do {
            return .success(try await BaselineBuild.make(settings, with: tools))
        } catch {
            try Task.checkCancellation()
            let error = error as? BenchError ?? BenchError("\(error)")
            Console.complain("no baseline: \(error)")
            return .failure(error)
        }
    }

    private func prepare(_ programs: String, _ baseline: Result<BaselineBuild, BenchError>) async throws -> Workbench {
        let cluster = try await MeasuredCluster.start(in: folder + "/postgres", with: tools)
        let own = try await cluster.makeStore(nil, programs: programs)
        var baselineStore: Result<MeasuredStore, BenchError>
        switch baseline {
        case .success(let build):
            baselineStore = .success(
                try await cluster.makeStore(
                    "baseline", programs: build.programs, migrations: build.source + "/migrations"))
        case .failure(let error): baselineStore = .failure(error)
        }
        try await BenchInputs(settings: settings, tools: tools, folder: folder, programs: programs).make()
        return Workbench(
            settings: settings, tools: tools, folder: folder, cluster: cluster, own: own, baseline: baselineStore,
            recorder: try SampleRecorder(path: Self.state + "/bench.ndjson"))
    }

    private func measure(_ group: BenchGroup, _ bench: Workbench, round: Int) async throws {
        switch group {
        case .sign: try await SigningMeasurement(bench: bench).run(round: round)
        case .verify: try await VerifyingMeasurement(bench: bench).run(round: round)
        case .parse: try await ParsingMeasurement(bench: bench).run(round: round)
        case .store: try await StoringMeasurement(bench: bench).run(round: round)
        case .cpu: try await StoringMeasurement(bench: bench).runForProcessorTime(round: round)
        case .http: try await HTTPMeasurement(bench: bench).run(round: round)
        case .import: try await ImportMeasurement(bench: bench).run(round: round)
        case .impressions: try await ImpressionsMeasurement(bench: bench).run(round: round)
        case .cardinalityHTTP: try await CardinalityMeasurement(bench: bench).runOverHTTP(round: round)
        case .cardinalityStore: try await CardinalityMeasurement(bench: bench).runInStore(round: round)
        case .forward: try await ForwardMeasurement(bench: bench).run(round: round)
        case .appStore: try await AppStoreMeasurement(bench: bench).run(round: round)
        // These are not measured round by round, or need stores of their own.
        case .lanes, .growth, .snapshot, .export, .cluster, .cardinalityGrowth: break
        }
    }

    /// Figures that are taken beside other work say little.
    private func warnIfBusy() async throws {
        func times() throws -> CoreTimes? {
            CoreTimes(stat: try String(contentsOfFile: "/proc/stat", encoding: .utf8))
        }
        guard let before = try times() else { return }
        try await Task.sleep(for: .seconds(2))
        guard let percent = try times()?.percentBusy(since: before), percent > 10 else { return }
        Console.complain("the machine is \(percent) percent busy already: expect low and uneven figures")
    }

    private func step(_ name: String) { Console.say("\n== \(name)") }
}
