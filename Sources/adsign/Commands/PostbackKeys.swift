import AdAttribution
import Foundation

/// Apple's keys and those of `--public-key`, for one postback after another.
struct PostbackKeys: Sendable {
    /// Apple's keys, then the others in their order.
    private let named: [PostbackKey]
    /// Those that were given without a name of the key ring.
    private let unnamed: [VerificationKey]

    /// Reads the files of options, each `FILE` or `NAME=FILE`.
    init(_ options: [String]) throws {
        var added: [PostbackKey] = []
        var unnamed: [VerificationKey] = []
        for option in options {
            let (name, path) = Self.parts(option)
            let key = try KeyFile.verificationKey(path, curves: Curve.allCases)
            if name == nil { unnamed.append(key) }
            do throws(FieldError) {
                let name = name ?? URL(fileURLWithPath: path).lastPathComponent
                added.append(try PostbackKey(name: name, environment: .test, key: key))
            } catch {
                throw Failure(.usage, "public-key: the file's \(error)")
            }
        }
        do throws(FieldError) {
            named = try KeyRing(networks: [], postbackKeys: added).postbackKeys
        } catch {
            throw Failure(.usage, "public-key: \(error)")
        }
        self.unnamed = unnamed
    }

    /// The keys that a postback is tried with: AdAttributionKit asks for one by its name, and a key without one answers
    /// to every name that is not Apple's.
    func keys(for postback: Postback) -> [PostbackKey] {
        guard let keyID = postback.details.adAttributionKit?.keyID else { return named }
        return named
            + unnamed.compactMap { try? PostbackKey(name: keyID, environment: .test, key: $0) }
    }

    /// A name is there where a file of the whole text is not.
    private static func parts(_ option: String) -> (name: String?, path: String) {
        guard let equals = option.firstIndex(of: "="), !FileManager.default.fileExists(atPath: option) else {
            return (nil, option)
        }
        return (String(option[..<equals]), String(option[option.index(after: equals)...]))
    }
}
