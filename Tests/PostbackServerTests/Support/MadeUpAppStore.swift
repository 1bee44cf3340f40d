import AdAttribution
import Foundation
import NIOHTTP1
import ReceiverSupport
import Synchronization
import TestSupport
import Testing

/// An App Store of a test: it signs under a root of its own, and answers as Apple's API does.
final class MadeUpAppStore: Sendable {
    /// A transaction of a notification.
    struct Transaction {
        var id: Int
        var signedAt = MadeUpAppStore.day
        var price = 9_990
        var revokedAt: Int64?
        var bundleID = "com.example"

        fileprivate var json: String {
            let revocation = revokedAt.map { ",\"revocationDate\":\($0),\"revocationReason\":0" } ?? ""
            return """
                {"transactionId":"\(id)","originalTransactionId":"\(id)","bundleId":"\(bundleID)",\
                "productId":"com.example.coins","purchaseDate":\(MadeUpAppStore.day),\
                "originalPurchaseDate":\(MadeUpAppStore.day),"quantity":1,\
                "type":"Consumable","inAppOwnershipType":"PURCHASED","signedDate":\(signedAt),"environment":"Sandbox",\
                "transactionReason":"PURCHASE","storefront":"USA","currency":"USD","price":\(price)\(revocation)}
                """
        }
    }

    private struct State {
        var pages: [[String]] = []
        /// The page that nobody gets, from 0.
        var heldPage: Int?
        /// The page whose token is refused once.
        var refusedPage: Int?
        var delivery = "SUCCESS"
        var answers: [String: TestReceiver.Reaction] = [:]
    }

    /// Yesterday's beginning, in milliseconds since 1970.
    static let day = (Int64(Date().timeIntervalSince1970) / 86_400 - 1) * 86_400_000
    /// The same as the commands take it.
    static let dayText = Date(timeIntervalSince1970: TimeInterval(day / 1_000)).formatted(.iso8601.year().month().day())

    private let key: SigningKey
    private let chain: [[UInt8]]
    private let apiKey: SigningKey
    private let state = Mutex(State())

    init() throws {
        let now = Self.day / 1_000
        let (first, last) = (now - 86_400 * 30, now + 86_400 * 30)
        let (rootKey, middleKey) = (try SigningKey.generate(), try SigningKey.generate())
        key = try SigningKey.generate()
        apiKey = try SigningKey.generate()
        let root = try CertificateMaker.make(
            subject: "Made-up root", key: rootKey, issuedBy: nil, isAuthority: true, validFrom: first, validTo: last)
        let middle = try CertificateMaker.make(
            subject: "Made-up intermediate", key: middleKey, issuedBy: (root, rootKey),
            marker: ["1.2.840.113635.100.6.2.1"], isAuthority: true, validFrom: first, validTo: last, serial: 2)
        let leaf = try CertificateMaker.make(
            subject: "Made-up leaf", key: key, issuedBy: (middle, middleKey), marker: ["1.2.840.113635.100.6.11.1"],
            isAuthority: false, validFrom: first, validTo: last, serial: 3)
        chain = [leaf.der, middle.der, root.der]
    }

    /// Signs a payload.
    func sign(_ payload: String) throws -> String {
        let certificates = chain.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
        let header = "{\"alg\":\"ES256\",\"x5c\":[\(certificates)]}"
        return try TestJWS(header: header, payload: payload).signed(with: key).text
    }

    func sign(_ transaction: Transaction) throws -> String { try sign(transaction.json) }

    /// A notification, a JWS; numbers up to 255 spread over all lanes.
    func notification(
        _ number: Int, _ type: String = "ONE_TIME_CHARGE", of transaction: Transaction? = nil
    ) throws -> String {
        let signed = try transaction.map { ",\"signedTransactionInfo\":\"\(try sign($0))\"" } ?? ""
        return try sign(
            """
            {"notificationType":"\(type)","notificationUUID":"\(Self.id(number))","version":"2.0",\
            "signedDate":\(Self.day),\
            "data":{"bundleId":"com.example","appAppleId":1234,"environment":"Sandbox"\(signed)}}
            """)
    }

    static func id(_ number: Int) -> String { String(format: "%02x000000-0000-4000-8000-000000000000", number) }

    /// The notifications of the history, page by page; an empty text is a row without one.
    func keep(_ pages: [[String]]) { state.withLock { $0.pages = pages } }

    /// Answers no request for a page; nil for each.
    func hold(page: Int?) { state.withLock { $0.heldPage = page } }

    /// Refuses the token of a page, as Apple does when it has ended; once.
    func refuse(page: Int) { state.withLock { $0.refusedPage = page } }

    /// Whether the token of a page is to be refused now.
    private func takeRefusal(of page: Int) -> Bool {
        state.withLock { state in
            guard state.refusedPage == page else { return false }
            state.refusedPage = nil
            return true
        }
    }

    /// How Apple saw the delivery of a TEST notification, whose payload is the first of the history.
    func deliver(_ result: String) { state.withLock { $0.delivery = result } }

    /// Answers a path.
    func answer(_ path: String, _ reaction: TestReceiver.Reaction) { state.withLock { $0.answers[path] = reaction } }

    /// Starts the API, which is gone when the test ends, and writes a key ring that leads to it.
    func start(for installation: Installation) async throws -> TestReceiver {
        let root = Data(chain[2]).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        try installation.write(
            "-----BEGIN CERTIFICATE-----\n\(root)\n-----END CERTIFICATE-----\n", to: "store-root.pem")
        try installation.write(apiKey.pem, to: "api.p8", mode: 0o600)
        try installation.write(
            """
            { "app-store": {
                "apps": [ { "bundle-id": "com.example", "app-id": 1234 }, { "bundle-id": "com.other" } ],
                "test-roots": ["store-root.pem"],
                "api": [ { "bundle-id": "com.example", "issuer-id": "57246542-96fe-1a63-e053-0824d011072a",
                           "key-id": "2X9R4HXF34", "private-key": "api.p8" } ] } }
            """, to: "keyring.json")
        let receiver = try await TestReceiver.start { [self] request, number in react(request, number) }
        try Teardown.add { try await receiver.close() }
        return receiver
    }

    private func react(_ request: TestReceiver.Request, _ number: Int) -> TestReceiver.Reaction {
        let state = state.withLock { $0 }
        let path = request.path.split(separator: "?")
        let token = path.count > 1 ? path[1].split(separator: "=").last.flatMap { Int($0) } : nil
        switch String(path.first ?? "") {
        case "/inApps/v1/notifications/history":
            let page = token ?? 0
            guard page != state.heldPage else { return .silence }
            guard !takeRefusal(of: page) else { return Self.json("{\"errorCode\":4000017}", status: 400) }
            guard state.pages.indices.contains(page) else { return Self.json("{\"hasMore\":false}") }
            let rows = state.pages[page].map { text in
                text.isEmpty ? "{\"sendAttempts\":[]}" : "{\"signedPayload\":\"\(text)\",\"sendAttempts\":[]}"
            }
            let next = "\"hasMore\":\(page + 1 < state.pages.count),\"paginationToken\":\"\(page + 1)\""
            return Self.json("{\"notificationHistory\":[\(rows.joined(separator: ","))],\(next)}")
        case "/inApps/v1/notifications/test": return Self.json("{\"testNotificationToken\":\"abc\"}")
        case "/inApps/v1/notifications/test/abc":
            // Apple does not have it at once.
            guard number > 2 else {
                return Self.json("{\"errorCode\":4040008,\"errorMessage\":\"Not yet.\"}", status: 404)
            }
            let payload = state.pages.first?.first ?? ""
            return Self.json(
                """
                {"signedPayload":"\(payload)","sendAttempts":[{"attemptDate":\(Self.day),\
                "sendAttemptResult":"\(state.delivery)"}]}
                """)
        case let path:
            return state.answers[path] ?? Self.json("{\"errorCode\":4040010,\"errorMessage\":\"None.\"}", status: 404)
        }
    }

    static func json(_ body: String, status: Int = 200) -> TestReceiver.Reaction {
        .status(status, headers: ["Content-Type: application/json"], body: body)
    }
}
