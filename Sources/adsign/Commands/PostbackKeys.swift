import AdAttribution
import Foundation

/// Apple's keys and those of `--public-key`.
struct PostbackKeys: Sendable {
    /// Apple's keys, then the others in their order.
    private let named: [PostbackKey]
    /// The keys of options without a name.
    private let unnamed: [VerificationKey]

    /// Reads the key files.
    ///
    /// Each option is `FILE` or `NAME=FILE`.
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
                throw CommandError(.usage, "public-key: the file's \(error)")
            }
        }
        do throws(FieldError) {
            named = try KeyRing(networks: [], postbackKeys: added).postbackKeys
        } catch {
            throw CommandError(.usage, "public-key: \(error)")
        }
        self.unnamed = unnamed
    }

    /// The keys to try for a postback.
    ///
    /// A postback of AdAttributionKit names its key. A key without a name is tried for every name that is not Apple's.
    func keys(for postback: Postback) -> [PostbackKey] {
        guard let keyID = postback.keyID else { return named }
        return named
            + unnamed.compactMap { try? PostbackKey(name: keyID, environment: .test, key: $0) }
    }

    /// The name and the path of an option.
    ///
    /// If a file is named like the whole option, there is no name.
    private static func parts(_ option: String) -> (name: String?, path: String) {
        guard let equals = option.firstIndex(of: "="), !FileManager.default.fileExists(atPath: option) else {
            return (nil, option)
        }
        return (String(option[..<equals]), String(option[option.index(after: equals)...]))
    }
}
