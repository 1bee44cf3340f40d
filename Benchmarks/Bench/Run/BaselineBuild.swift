import Foundation

/// The programs of the baseline commit, built from this repository's history.
struct BaselineBuild: Sendable {
    /// The folder of the programs.
    let programs: String
    /// The folder of its sources.
    let source: String

    /// Takes the commit out of the history into `.local/baseline-COMMIT`, unless it is there, and builds it.
    ///
    /// - Throws: `BenchError` if the clone does not have the commit, or it does not build.
    static func make(_ settings: RunSettings, with tools: Tools) async throws -> BaselineBuild {
        let commit = settings.baseline
        guard (try? await tools.run("git", ["cat-file", "-e", "\(commit)^{commit}"])) != nil else {
            let isShallow = try? await tools.run("git", ["rev-parse", "--is-shallow-repository"]).trimmed == "true"
            let advice = isShallow == true ? ", which is shallow: git fetch --unshallow" : ""
            throw BenchError("commit \(commit) is not in this clone\(advice)")
        }
        let source = FileManager.default.currentDirectoryPath + "/.local/baseline-\(commit)"
        if !FileManager.default.fileExists(atPath: source) {
            let new = source + ".new"
            try? FileManager.default.removeItem(atPath: new)
            try FileManager.default.createDirectory(atPath: new, withIntermediateDirectories: true)
            try await tools.run("git", ["archive", "--output", new + "/archive.tar", commit])
            try await tools.run("tar", ["-x", "-C", new, "-f", new + "/archive.tar"])
            try FileManager.default.removeItem(atPath: new + "/archive.tar")
            // Under its own name only once it is whole.
            try FileManager.default.moveItem(atPath: new, toPath: source)
        }
        if let programs = settings.baselinePrograms {
            return BaselineBuild(programs: absolute(programs), source: source)
        }
        return BaselineBuild(
            programs: try await build(["PostbackServer", "bench"], in: source, with: tools), source: source)
    }

    /// Builds products of a package in release.
    ///
    /// - Returns: The folder of the programs.
    static func build(_ products: [String], in package: String, with tools: Tools) async throws -> String {
        let options = ["build", "-c", "release", "--package-path", package]
        for product in products { try await tools.show("swift", options + ["--product", product]) }
        return try await tools.run("swift", options + ["--show-bin-path"]).trimmed
    }

    static func absolute(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
    }
}

extension String {
    /// Without white space at both ends.
    var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
