package import Foundation
import Testing

/// Finds test vectors: Apple's are fixtures of the tests, others are outside of the repository.
package enum VectorFile {
    /// The root of the repository, found from the path of this file.
    ///
    /// Symbolic links are followed.
    package static let repository = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of the vectors that can't be part of the repository; most users do not have it.
    package static let shared =
        ProcessInfo.processInfo.environment["TEST_VECTORS"].map { URL(filePath: $0) }
        ?? repository.deletingLastPathComponent().appending(path: "shared/vectors")

    /// Whether these vectors are there.
    ///
    /// If not, tests that need them are reported as skipped.
    package static func isShared(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: shared.appending(path: name).path)
    }

    /// The entries of a vector file outside of the repository.
    package static func shared(_ name: String) throws -> [[String: Any]] {
        try entries(of: shared.appending(path: name))
    }

    /// The entries of a vector file.
    package static func entries(of file: URL) throws -> [[String: Any]] {
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        let entries = try #require(json as? [[String: Any]])
        try #require(!entries.isEmpty)
        return entries
    }
}

extension [UInt8] {
    /// The bytes of an even number of hexadecimal digits.
    package init(hex: String) throws {
        let digits = try hex.map { try #require($0.hexDigitValue) }
        try #require(digits.count % 2 == 0)
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
