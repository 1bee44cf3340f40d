import AdAttribution
import ArgumentParser
import Foundation
import PostbackSimulation

/// The keys of `adsign simulate`.
struct SimulationKeyOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "A test key in PEM form: on P-192 for 1.0 and 2.0, on P-256 for the rest. Repeat it for the other curve.",
            valueName: "file"))
    var key: [String]

    @Option(
        name: .long,
        help: "The P-256 key's name in the key ring, which is the kid; by default the file's name without .pem.")
    var keyName: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The same for the postbacks of --development-rate.", valueName: "file"))
    var developmentKey: [String] = []

    @Option(name: .long, help: "The name of the development key on P-256.")
    var developmentKeyName: String?

    /// Reads the files.
    ///
    /// - Parameter curves: The curves that are needed.
    func read(
        for curves: Set<Curve>
    ) throws -> (production: SimulationKeys, development: SimulationKeys?) {
        (
            try Self.read(key, name: keyName, "key", curves),
            developmentKey.isEmpty
                ? nil : try Self.read(developmentKey, name: developmentKeyName, "development-key", curves)
        )
    }

    /// The name of a key that is given without one: that of its file, without `.pem`.
    static func name(ofFile path: String) -> String {
        let file = URL(fileURLWithPath: path)
        return (file.pathExtension == "pem" ? file.deletingPathExtension() : file).lastPathComponent
    }

    private static func read(
        _ paths: [String], name: String?, _ option: String, _ curves: Set<Curve>
    ) throws -> SimulationKeys {
        var keys: [Curve: SigningKey] = [:]
        var nameOfFile: String?
        // If there is one key and one curve, the key must be on that curve.
        let accepted = paths.count == 1 && curves.count == 1 ? Array(curves) : Curve.allCases
        for path in paths {
            let key = try KeyFile.signingKey(path, curves: accepted)
            guard keys.updateValue(key, forKey: key.curve) == nil else {
                throw CommandError(.usage, "\(option): must be given once for each curve")
            }
            if key.curve == .p256 {
                nameOfFile = Self.name(ofFile: path)
            }
        }
        do throws(FieldError) {
            return try SimulationKeys(
                p192: keys[.p192], p256: keys[.p256], name: name ?? nameOfFile ?? "load-test")
        } catch {
            throw CommandError(option: error)
        }
    }
}
