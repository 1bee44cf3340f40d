import Foundation
import Testing

/// Files of the tests.
enum Fixture {
    /// The bytes of a file.
    static func bytes(_ path: String) throws -> [UInt8] {
        let folder = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
        return Array(try Data(contentsOf: folder.appending(path: path)))
    }

    /// A file as text.
    static func text(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }
}
