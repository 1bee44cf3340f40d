import AdAttribution
import Foundation

/// One step of the schema: a file `NNNN_name.sql`, applied once and never edited afterwards.
public struct Migration: Sendable, Equatable {
    /// The number in the file's name, from 1 without gaps.
    public let number: Int32
    /// The file's name without its ending, such as `0001_postback`.
    public let name: String
    /// SHA-256 of the file, in hexadecimal.
    public let checksum: String
    /// The text of the file.
    public let script: String

    /// A migration out of a file's name and text; nil where the name is not `NNNN_name.sql`.
    public init?(fileName: String, script: String) {
        let parts = fileName.split(separator: "_", maxSplits: 1)
        guard fileName.hasSuffix(".sql"), parts.count == 2, parts[0].utf8.count == 4,
            parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int32(parts[0])
        else { return nil }
        self.number = number
        self.script = script
        name = String(fileName.dropLast(4))
        checksum = Hexadecimal.text(SHA256.digest(Array(script.utf8)))
    }

    /// The migrations of a folder, in order.
    ///
    /// - Throws: `SchemaError` where the folder can't be read, or its files are not numbered from 1 without gaps.
    public static func load(folder: String) throws(SchemaError) -> [Migration] {
        let manager = FileManager.default
        guard let names = try? manager.contentsOfDirectory(atPath: folder) else { throw .unreadableFolder(folder) }
        var migrations: [Migration] = []
        for name in names.sorted() where name.hasSuffix(".sql") {
            guard let data = manager.contents(atPath: folder + "/" + name),
                let script = String(bytes: data, encoding: .utf8),
                let migration = Migration(fileName: name, script: script),
                migration.number == migrations.count + 1
            else { throw .misnamedFile(name) }
            migrations.append(migration)
        }
        guard !migrations.isEmpty else { throw .unreadableFolder(folder) }
        return migrations
    }
}
