import AdAttribution
import CampaignData
import ConversionSchemes
import Foundation
import StrictJSON

/// Reads the files of schemes that a command names.
enum SchemeFiles {
    /// The most errors that are shown of a file.
    private static let maximumErrors = 20

    /// The bytes of a file, or of standard input if the name is `-`.
    ///
    /// One byte more than a file may have is read, so that a file that is too large is refused as such.
    ///
    /// - Throws: `UnreadableFile`.
    static func bytes(_ path: String) throws -> [UInt8] {
        do {
            let handle = path == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: path))
            var bytes: [UInt8] = []
            while bytes.count <= SchemeFile.maximumSize,
                let data = try handle.read(upToCount: SchemeFile.maximumSize + 1 - bytes.count), !data.isEmpty
            {
                bytes += data
            }
            return bytes
        } catch {
            throw UnreadableFile(path: path)
        }
    }

    /// Reads schemes, and checks that those of one app do not overlap.
    ///
    /// It shows what is wrong with each file.
    ///
    /// - Throws: `UnreadableFile`; `RefusedFiles` if any file is refused.
    static func schemes(_ paths: [String]) throws -> [ConversionScheme] {
        try loaded(paths).schemes
    }

    /// The same, with names and digests of the files.
    static func loaded(_ paths: [String]) throws -> (schemes: [ConversionScheme], files: [LoadedFile]) {
        let files = try paths.map { (path: $0, bytes: try bytes($0)) }
        var schemes: [ConversionScheme] = []
        for (path, bytes) in files {
            if let scheme = read(path, { () throws(SchemeErrors) in try SchemeFile.read(bytes) }) {
                schemes.append(scheme)
            }
        }
        guard schemes.count == paths.count else { throw RefusedFiles(count: paths.count - schemes.count) }
        for (app, schemes) in Dictionary(grouping: schemes, by: \.appID).sorted(by: { $0.key.value < $1.key.value }) {
            var history = SchemeHistory()
            do throws(SchemeOverlap) {
                for scheme in schemes.sorted(by: { $0.validity.from < $1.validity.from }) {
                    // The text stands for itself where nothing is stored.
                    if case .replaced = try history.add(scheme, digest: scheme.file) {
                        throw SchemeOverlap(twice: scheme)
                    }
                }
            } catch {
                ProgramLog.write("\(error)")
                throw RefusedFiles(count: schemes.count, reason: "those of app \(app.value) contradict each other")
            }
        }
        return (
            schemes,
            files.map { LoadedFile(name: URL(filePath: $0.path).lastPathComponent, $0.bytes) }
        )
    }

    /// Runs a reader over one file, and shows its errors; nil if there are any.
    static func read<Value>(_ path: String, _ reader: () throws(SchemeErrors) -> Value) -> Value? {
        do throws(SchemeErrors) {
            return try reader()
        } catch {
            for one in error.errors.prefix(maximumErrors) {
                ProgramLog.write("\(JSONText.line(path)):\(one.line): \(one.error)")
            }
            if error.errors.count > maximumErrors {
                ProgramLog.write(
                    "\(JSONText.line(path)): \(error.errors.count - maximumErrors) more problems are not shown")
            }
            return nil
        }
    }
}

/// Files that were refused; why was shown before.
struct RefusedFiles: Error, CustomStringConvertible {
    let count: Int
    var reason = "nothing was written"

    var description: String {
        "\(count == 1 ? "a file was refused" : "\(count) files were refused"); \(reason)"
    }
}
