import Foundation

/// A folder for one test, gone with it.
final class Scratch {
    /// The path of the folder.
    let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "/adsign-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The path of a file in it.
    subscript(_ name: String) -> String { folder + "/" + name }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self[name]))
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: self[name])), as: UTF8.self)
    }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: self[name])[.posixPermissions] as? Int
    }
}

/// A JSON object out of Foundation's reader, which is not the one under test.
func object(_ text: some StringProtocol) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
}
