import ECDSA
import Encodings
import Foundation
import TestSupport
import Testing

/// Apple's test data: certificates that are fixtures, and files of signed data that are not part of the repository.
struct AppleLibrary: Decodable {
    private let certificates: [String: String]
    private let key: String

    private enum CodingKeys: String, CodingKey {
        case certificates
        case key = "leaf-key"
    }

    /// A time at which Apple's tests verify, in seconds: 1 November 2025.
    static let time: Int64 = 1_761_962_975

    static func read() throws -> AppleLibrary {
        let file = try TestEnvironment.file("Tests/AppStoreDataTests/Fixtures/AppleStoreLibrary/certificates.json")
        return try JSONDecoder().decode(AppleLibrary.self, from: Data(file))
    }

    /// The certificate with a name.
    func certificate(_ name: String) throws -> Certificate {
        let text = Array(try #require(certificates[name]).utf8)
        let der = text.withUnsafeBufferPointer { Base64.decode($0) }
        return try Certificate(der: try #require(der))
    }

    /// The key of Apple's leaf of tests.
    func leafKey() throws -> VerificationKey { try VerificationKey(key) }

    /// The files of signed data, and whether we accept each.
    static let files = [
        "testNotification": true, "transactionInfo": true, "renewalInfo": true,
        // It does not say when it was signed, and it is of another app too.
        "wrongBundleId": false,
        "missingX5CHeaderClaim": false, "xcode-signed-transaction": false, "xcode-signed-renewal-info": false,
        "xcode-signed-app-transaction": false,
    ]

    /// Where these files are, among the vectors that can't be part of the repository.
    private static let folder = "app-store-server-library"
    /// Whether they are there.
    static var hasFiles: Bool { VectorFile.isShared("\(folder)/testCA.der") }
    /// Why tests of them are skipped.
    static let reason: Comment = "Apple's files of signed data are not here"

    /// The bytes of a file.
    static func file(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: VectorFile.shared.appending(path: "\(folder)/\(name)")))
    }
}
