import AdAttribution
import CampaignData
import Foundation
import StrictJSON
import TabularFiles

/// A file with a table, CSV or NDJSON, that is read in parts.
struct TableFile {
    let path: String

    /// The size of the parts that are read, in bytes.
    private static let partSize = 1 << 20

    /// The name without folders.
    var name: String { URL(fileURLWithPath: path).lastPathComponent }

    /// Reads the file, and passes on each record with its line.
    ///
    /// - Returns: The SHA-256 of the bytes that were read.
    /// - Throws: `UnreadableFile` if the file can't be read, `RefusedFile` if something in it is wrong, or what `body`
    ///   throws. A `TableError` of `body` is one of the file's.
    @discardableResult
    func read<Record: TableRecord>(_ type: Record.Type, _ body: (Record, Int) throws -> Void) throws -> [UInt8] {
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw UnreadableFile(path: path)
        }
        defer { try? handle.close() }
        var reader = RecordReader<Record>()
        let digest = SHA256.Parts()
        try refusing {
            while let part = try next(handle) {
                digest.append(part)
                try reader.read(part, body)
            }
            try reader.finish(body)
        }
        return digest.finished()
    }

    /// Who loads the file, and its name and digest.
    ///
    /// - Parameter digest: The SHA-256 of its bytes.
    func source(_ digest: [UInt8]) -> LoadSource {
        LoadSource(.currentUser, [LoadedFile(name: name, sha256: digest)])
    }

    /// Runs a body, and gives a refusal that it throws the name of the file.
    func refusing<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let refusal as TableErrors {
            throw RefusedFile(path: path, refusal: refusal)
        }
    }

    private func next(_ handle: FileHandle) throws -> [UInt8]? {
        do {
            guard let data = try handle.read(upToCount: Self.partSize), !data.isEmpty else { return nil }
            return Array(data)
        } catch {
            throw UnreadableFile(path: path)
        }
    }
}

/// A file that can't be read.
struct UnreadableFile: Error, CustomStringConvertible {
    let path: String

    var description: String { "\(path == "-" ? "standard input" : JSONText.line(path)): can't be read" }
}

/// A file with something wrong in it, of which nothing was loaded.
struct RefusedFile: Error, CustomStringConvertible {
    let path: String
    let refusal: TableErrors

    var description: String { "\(JSONText.line(path)) is refused as a whole:\n\(refusal)" }
}
