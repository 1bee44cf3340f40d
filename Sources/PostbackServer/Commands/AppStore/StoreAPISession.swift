import AppStoreClient
import AppStoreData
import Logging
import PostbackIngest
import PostbackStore
import PostgresClient
import ServerSettings

/// What a command has that asks Apple's API about an app: the client, and who verifies the answers.
struct StoreAPISession: Sendable {
    let bundleID: String
    let client: StoreAPIClient
    let verifier: SignedDataVerifier

    /// Runs a body, and closes the client afterwards.
    ///
    /// - Throws: `NoStoreCredentials`; what the key ring and the body throw.
    static func with<Value: Sendable>(
        _ app: AppStoreOptions, _ settings: Settings, _ logger: Logger, _ body: (StoreAPISession) async throws -> Value
    ) async throws -> Value {
        let keys = try settings.keyRingFolder(logger)
        guard let credentials = keys.storeAPI.first(where: { $0.bundleID == app.bundleID }), let trust = keys.store
        else { throw NoStoreCredentials(bundleID: app.bundleID) }
        let client = StoreAPIClient(
            credentials, at: app.address ?? StoreAPIAddress(app.environment), perSecond: app.perSecond,
            clock: { PostbackStore.now().millisecondsSince1970 })
        let session = StoreAPISession(
            bundleID: app.bundleID, client: client, verifier: SignedDataVerifier(trust: trust))
        do {
            let value = try await body(session)
            await client.close()
            return value
        } catch {
            await client.close()
            throw error
        }
    }

    private var now: Int64 { PostbackStore.now().millisecondsSince1970 }

    /// Verifies a notification of Apple's history as the public listener does.
    func notification(_ body: [UInt8]) throws(SignedDataError) -> StoreNotification {
        guard body.count <= StoreNotification.maximumV2Bytes else {
            let limit = StoreNotification.maximumV2Bytes
            throw SignedDataError(.tooLarge, field: "body", rule: "must have at most \(limit) bytes")
        }
        return try StoreNotification(body: body, by: verifier, now: now)
    }

    /// Verifies a transaction.
    func transaction(_ jws: String) throws(SignedDataError) -> StoreTransaction {
        let transaction = try StoreTransaction(try verifier.verify(Array(jws.utf8), now: now))
        try check(transaction.bundleID)
        return transaction
    }

    /// Verifies a renewal.
    func renewal(_ jws: String) throws(SignedDataError) -> StoreRenewal {
        let renewal = try StoreRenewal(try verifier.verify(Array(jws.utf8), now: now))
        try check(renewal.bundleID ?? bundleID)
        return renewal
    }

    private func check(_ bundleID: String) throws(SignedDataError) {
        guard bundleID == self.bundleID else {
            throw SignedDataError(.unknownApp, field: "bundleId", rule: "must be that of the app that was asked about")
        }
    }
}

/// An app without a key for Apple's API in the key ring.
struct NoStoreCredentials: Error, CustomStringConvertible {
    let bundleID: String

    var description: String {
        "key ring: app-store.api: has no entry with the bundle-id \(bundleID.prefix(60)), and a key for Apple's API"
    }
}
