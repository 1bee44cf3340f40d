import AdAttribution
import ArgumentParser
import PostbackSimulation
import StrictJSON

/// `adsign simulate --app-store`.
extension SimulateCommand {
    /// The number of bodies that one thread signs at a time.
    private static let bodiesAtOnce = 64

    /// Checks that no option was given that another kind of simulation has.
    func checkAppStore() throws {
        guard appStore.isOn else {
            if let option = appStore.needless { throw ValidationError("\(option): needs --app-store") }
            return try checkTimeline()
        }
        let needless: [(String, Bool)] = [
            ("timeline", timeline.isOn), ("count", count != nil), ("version", !version.isEmpty),
            ("ad-attribution-kit", adAttributionKit), ("all", all), ("ad-network-id", !adNetworkID.isEmpty),
            ("app-id", !appID.isEmpty), ("campaigns", campaigns != nil), ("sources", populations.sources != nil),
            ("development-key", !keys.developmentKey.isEmpty), ("duplicates and the other shares", !shares.isEmpty),
        ]
        let option =
            needless.first(where: { $0.1 })?.0 ?? populations.needlessInTimeline ?? timeline.needlessInAppStore
        if let option { throw ValidationError("\(option): not with --app-store") }
        guard keys.key.count == 1 else { throw ValidationError("key: must be given once, with --app-store") }
        if delivery.deliver != nil, appStore.output != nil { throw ValidationError("output: not with --deliver") }
        let files = [timeline.truth, appStore.history, appStore.root, appStore.output].compactMap { $0 }
        guard Set(files).count == files.count else { throw ValidationError("truth: each file must be another one") }
    }

    /// Simulates, writes the files, and writes or delivers the notifications.
    func runAppStore() async throws {
        let configuration = try appStore.configuration(
            seed: seed, begin: timeline.begin, days: timeline.days, isShuffled: shuffle)
        let signer = try AppStoreSimulator.signer(rootKey: KeyFile.signingKey(keys.key[0], curves: [.p256]))
        let simulator: AppStoreSimulator
        do throws(FieldError) {
            simulator = try AppStoreSimulator(configuration, signer: signer)
        } catch {
            throw CommandError(option: error)
        }
        if let root = appStore.root { try Self.write(Array(signer.rootPEM.utf8), to: root) }
        if let truth = timeline.truth { try Self.write(Self.truth(of: simulator), to: truth) }
        if let history = appStore.history {
            let file = try OutputFile(history)
            try Self.sign(simulator.undelivered, { try simulator.undeliveredBody(at: $0) }, to: file.append)
            try file.close()
        }
        if let target = delivery.deliver {
            return try await post(simulator.count, to: target.forNotifications) { index in
                guard let body = try? simulator.body(at: index) else { throw Self.noSignature }
                return body
            }
        }
        guard let output = appStore.output else {
            return try Self.sign(simulator.count, { try simulator.body(at: $0) }, to: StandardStream.output)
        }
        let file = try OutputFile(output)
        try Self.sign(simulator.count, { try simulator.body(at: $0) }, to: file.append)
        try file.close()
    }

    private static var noSignature: CommandError { CommandError(.fault, "\(KeyError.unavailable)") }

    /// Makes lines on many threads, and takes them in order.
    private static func sign(
        _ count: Int, _ body: @escaping @Sendable (Int) throws -> [UInt8]?, to sink: @escaping ([UInt8]) throws -> Void
    ) throws {
        var start = 0
        let pipeline = OrderedPipeline {
            guard start < count else { return nil }
            defer { start += Self.bodiesAtOnce }
            return start..<min(start + Self.bodiesAtOnce, count)
        } work: { (range: Range<Int>) in
            var lines: [UInt8] = []
            for index in range {
                guard let body = try? body(index) else { throw Self.noSignature }
                lines += body + [UInt8(ascii: "\n")]
            }
            return lines
        } sink: {
            try sink($0)
        }
        try pipeline.run()
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        let file = try OutputFile(path)
        try file.append(bytes)
        try file.close()
    }

    /// The truth with and without what only the history has, in one JSON object.
    private static func truth(of simulator: AppStoreSimulator) -> [UInt8] {
        var object = JSONObjectText()
        object.append("deliveries", Int64(simulator.count))
        object.append("notifications", Int64(simulator.notifications))
        object.append("undelivered", Int64(simulator.undelivered))
        object.append("delivered", json: simulator.truth(withHistory: false).json)
        object.append("with_history", json: simulator.truth(withHistory: true).json)
        return object.finished() + [UInt8(ascii: "\n")]
    }
}
