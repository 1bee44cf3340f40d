import AdAttribution
import ArgumentParser
import Foundation
import PostbackSimulation

/// `adsign simulate --timeline`.
extension SimulateCommand {
    /// Checks that no option was given that the other kind of simulation has.
    func checkTimeline() throws {
        guard timeline.isOn else {
            guard count != nil else { throw ValidationError("Missing expected argument '--count <count>'") }
            if let option = timeline.needless { throw ValidationError("\(option): needs --timeline") }
            if campaigns != nil, populations.lines != nil { throw ValidationError("campaigns: not with --lines") }
            return
        }
        if let option = populations.needlessInTimeline {
            throw ValidationError("\(option): not with --timeline; --config has such settings")
        }
        let needless: [(String, Bool)] = [
            ("count", count != nil), ("version", !version.isEmpty), ("ad-attribution-kit", adAttributionKit),
            ("all", all), ("campaigns", campaigns != nil), ("shuffle", shuffle),
            ("deliver", delivery.deliver != nil), ("development-key", !keys.developmentKey.isEmpty),
            ("duplicates and the other shares", !shares.isEmpty),
        ]
        if let option = needless.first(where: { $0.1 })?.0 {
            throw ValidationError("\(option): not with --timeline; --config has such settings")
        }
        if let truth = timeline.truth, truth == timeline.copies {
            throw ValidationError("truth: must be another file than copies")
        }
    }

    /// Simulates in time, and writes archive, truth and copies.
    func writeTimeline() throws {
        let settings = try timeline.settings(networks: adNetworkID, apps: appID, sources: populations.sources)
        let curves = try Self.checked { () throws(FieldError) in try Timeline.curves(of: settings) }
        guard !timeline.printConfig else {
            return try StandardStream.output(line: String(decoding: settings.json, as: UTF8.self))
        }
        let keys = try self.keys.read(for: curves).production
        let simulator = try Self.checked { () throws(FieldError) in
            try Timeline(settings, seed: seed, keys: keys, hasCopies: timeline.copies != nil)
        }
        if let folder = timeline.schemes {
            let schemes = try Self.checked { () throws(FieldError) in try settings.schemes() }
            for scheme in schemes {
                let file = try OutputFile("\(folder)/\(scheme.appID)-\(scheme.number).json")
                try file.append(scheme.json + [UInt8(ascii: "\n")])
                try file.close()
            }
        }
        let writer = TimelineWriter(
            timeline: simulator, end: timeline.until, truth: try timeline.truth.map { try OutputFile($0) },
            copies: try timeline.copies.map { try OutputFile($0) })
        try writer.run()
    }

    private static func checked<Value>(_ make: () throws(FieldError) -> Value) throws -> Value {
        do throws(FieldError) {
            return try make()
        } catch {
            throw CommandError(option: error)
        }
    }
}
