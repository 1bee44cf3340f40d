import AdAttribution
import Foundation
import LocalFiles
import StrictJSON

/// A file of archived postbacks, one a line.
struct ArchiveFile {
    let path: String
    let size: Int64
    /// Identifies the file, whatever its name is: SHA-256 over its size, first and last 64 KiB.
    let fingerprint: [UInt8]
    let handle: FileHandle

    private static let sampleSize = 65_536

    /// Opens a file.
    ///
    /// - Throws: `ArchiveError`.
    init(_ path: String) throws(ArchiveError) {
        let descriptor = try ArchiveError.naming(path) { () throws(FileError) in try RegularFile.open(path) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            let size = try handle.seekToEnd()
            var sample = withUnsafeBytes(of: size.bigEndian) { Array($0) }
            try handle.seek(toOffset: 0)
            sample.append(contentsOf: try handle.read(upToCount: Self.sampleSize) ?? Data())
            try handle.seek(toOffset: size - min(size, UInt64(Self.sampleSize)))
            sample.append(contentsOf: try handle.read(upToCount: Self.sampleSize) ?? Data())
            self.path = path
            self.size = Int64(size)
            self.handle = handle
            fingerprint = SHA256.digest(sample)
        } catch {
            throw ArchiveError(path: path, rule: "can't be read: \(error.systemText)")
        }
    }
}

/// A file that can't be imported.
package struct ArchiveError: Error, Sendable, CustomStringConvertible {
    /// The file.
    package let path: String
    /// What is wrong with it.
    package let rule: String

    /// File and rule in one line.
    package var description: String { "\(JSONText.line(path)): \(rule)" }

    /// Runs a body, and gives an error of a file the name of the file.
    static func naming<Value>(
        _ path: String, _ body: () throws(FileError) -> Value
    ) throws(ArchiveError) -> Value {
        do throws(FileError) {
            return try body()
        } catch {
            throw ArchiveError(path: path, rule: error.description)
        }
    }
}
