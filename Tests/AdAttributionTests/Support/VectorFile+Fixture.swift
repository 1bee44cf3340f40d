import Foundation
import TestSupport
import Testing

extension VectorFile {
    /// The entries of a fixture of this target.
    static func fixture(_ name: String) throws -> [[String: Any]] {
        let folder = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
        return try entries(of: folder.appending(path: name))
    }
}
