import Foundation
package import Testing

/// Apple's receipts of Xcode, which are not part of the repository.
///
/// They are from `tests/resources/xcode` of https://github.com/apple/app-store-server-library-python, and stand under
/// their own names in the folder `app-store-server-library` of the shared vectors.
package enum XcodeReceipt {
    /// Their names.
    package static let names = [empty, withTransaction]
    /// The one without a purchase.
    package static let empty = "xcode-app-receipt-empty"
    /// The one with a purchase.
    package static let withTransaction = "xcode-app-receipt-with-transaction"

    /// Whether they are there.
    package static var areHere: Bool { names.allSatisfy { VectorFile.isShared("\(folder)/\($0)") } }
    /// Why tests of them are skipped.
    package static let reason: Comment = "Apple's receipts of Xcode are not here"

    /// The message of one.
    package static func message(_ name: String) throws -> [UInt8] {
        let text = try Data(contentsOf: VectorFile.shared.appending(path: "\(folder)/\(name)"))
        return Array(try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters)))
    }

    private static let folder = "app-store-server-library"
}
