import AdAttribution
import Foundation
import TestSupport
import Testing

@testable import AppStoreData

/// Apple's own payloads, which can't be part of the repository, are read as ours are.
///
/// They are the folder `tests/resources/models` of https://github.com/apple/app-store-server-library-python, and stand as
/// `models` in the folder `app-store-server-library` of the shared vectors.
@Suite("Payloads of Apple's library")
struct AppleModelTests {
    private static let folder = "app-store-server-library/models"
    /// Whether they are there.
    static let areHere = VectorFile.isShared(folder)

    private static func members(of payload: StorePayload) throws -> [String: Any] {
        let file = VectorFile.shared.appending(path: "\(folder)/\(payload.rawValue).json")
        return try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    }

    /// The names of all members, also of those inside of others.
    private static func names(in value: Any) -> Set<String> {
        if let object = value as? [String: Any] { return names(in: Array(object.values)).union(object.keys) }
        guard let array = value as? [Any] else { return [] }
        return array.reduce(into: []) { $0.formUnion(names(in: $1)) }
    }

    @Test(
        "Apple's own payloads are read without a refusal, and ours have all of their members",
        .enabled(if: AppleModelTests.areHere, "Apple's payloads are not here"), arguments: StorePayload.allCases)
    func model(_ payload: StorePayload) throws {
        let model = try SignedModel(payload, read: Self.members(of:))
        switch payload {
        case .transaction, .revokedTransaction:
            let read = try StoreTransaction(model.verified())
            #expect(read.environment == .test && read.net != nil)
        case .renewalInfo:
            let read = try StoreRenewal(model.verified())
            #expect(read.environment == .test && read.renewalPrice != nil)
        case .appTransaction:
            let read = try AppTransaction(model.verified())
            #expect(read.environment == .test && read.appID != nil)
        case .notification, .consumptionRequest, .summary, .token, .sandboxToken, .rescindConsent:
            let read = try model.notification(SignedModel.verifier(bundleID: "com.example"))
            #expect(read.unknownMembers == [])
        }
        let ours = try Self.names(in: payload.members())
        #expect(Self.names(in: model.members).subtracting(ours) == [])
    }
}
