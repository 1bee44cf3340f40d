import AdAttribution
import AppStoreData
import Foundation
import TestSupport
import Testing

@Suite(
    "Verifying signed data of the App Store",
    .enabled(if: Tool.adsign != nil, "no adsign in TEST_BIN_DIR or beside the tests"))
struct VerifyJWSTests {
    private let folder: Scratch
    private let signer: StoreSigner

    init() throws {
        folder = try Scratch()
        signer = try StoreSigner.make(validFrom: 1_577_836_800, validTo: 1_893_456_000)
        try Data(signer.root.der).write(to: URL(fileURLWithPath: folder["root.der"]))
    }

    private func signed(_ payload: String) throws -> String {
        String(decoding: try signer.sign(Array(payload.utf8)), as: UTF8.self)
    }

    private func signedTransaction(
        _ environment: String = "Sandbox", bundleID: String = "com.example"
    ) throws -> String {
        try signed(
            #"{"transactionId":"1","originalTransactionId":"1","bundleId":"\#(bundleID)","productId":"coins","#
                + #""purchaseDate":1717243200000,"price":990,"currency":"EUR","environment":"\#(environment)","#
                + #""signedDate":1717243200000}"#)
    }

    private func signedNotification(_ transaction: String, _ environment: String = "Sandbox") throws -> String {
        try signed(
            #"{"notificationType":"ONE_TIME_CHARGE","notificationUUID":"002e14d5-51f5-4503-b5a8-c3a1af68eb20","#
                + #""version":"2.0","signedDate":1717243200000,"data":{"environment":"\#(environment)","#
                + #""appAppleId":1234,"bundleId":"com.example","signedTransactionInfo":"\#(transaction)"}}"#)
    }

    private func verify(_ input: String, _ options: String...) async throws -> Tool.Result {
        try await Tool.run(["verify-jws", "--test-root", folder["root.der"]] + options, input: input)
    }

    @Test("A transaction, renewal info and an app transaction are shown line by line")
    func kinds() async throws {
        let result = try await verify(try signedTransaction() + "\n", "--bundle-id", "com.example")
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.lines.prefix(2) == ["verdict: valid", "environment: test"])
        #expect(result.lines.contains("transaction.price: 990"))
        let renewal = try signed(
            #"{"originalTransactionId":"1","autoRenewStatus":1,"environment":"Production","signedDate":1717243200000}"#)
        #expect(
            try await verify(renewal, "--bundle-id", "com.example").lines.contains("renewal.autoRenewStatus: 1"))
        let app = try signed(
            #"{"receiptType":"Sandbox","bundleId":"com.example","receiptCreationDate":1717243200000}"#)
        #expect(try await verify(app).lines.contains("app-transaction.receiptType: Sandbox"))
        // A request of Apple's for a message to a subscriber.
        let request = try signed(
            #"{"originalTransactionId":"1","appAppleId":1234,"productId":"coins","userLocale":"en-US","#
                + #""requestIdentifier":"3c1c9b4e-7d0f-4a57-8a5c-1f1f0c2d9b11","environment":"Sandbox","#
                + #""signedDate":1717243200000}"#)
        #expect(try await verify(request).lines.contains("payload.originalTransactionId: 1"))
    }

    @Test("The id in the App Store is compared in production only, where notifications and app transactions have it")
    func numbers() async throws {
        let sandbox = try signedNotification(signedTransaction())
        #expect(try await verify(sandbox, "--app-id", "5").code == 0)
        let production = try signedNotification(signedTransaction("Production"), "Production")
        #expect(try await verify(production, "--app-id", "1234").code == 0)
        #expect(try await verify(production, "--app-id", "5").lines.first == "verdict: unknown_app")
        #expect(try await verify(try signedTransaction("Production"), "--app-id", "5").code == 0)
        let app = #"{"receiptType":"Production","bundleId":"com.example","receiptCreationDate":1717243200000}"#
        #expect(try await verify(try signed(app), "--app-id", "5").lines.first == "verdict: unknown_app")
    }

    @Test("If an app is asked for, only renewal info may leave it out, and a transaction whose notification names it")
    func unnamed() async throws {
        let transaction = try signed(
            #"{"transactionId":"1","originalTransactionId":"1","environment":"Sandbox","signedDate":1717243200000}"#)
        let unnamed = [
            transaction,
            try signed(#"{"receiptType":"Sandbox","receiptCreationDate":1717243200000}"#),
            try signed(
                #"{"notificationType":"TEST","signedDate":1717243200000,"data":{"environment":"Sandbox"}}"#),
        ]
        for jws in unnamed {
            let result = try await verify(jws, "--bundle-id", "com.example")
            #expect(result.code == 1)
            #expect(result.lines.first == "verdict: unknown_app")
            #expect(try await verify(jws).code == 0)
        }
        let notification = try signedNotification(transaction)
        #expect(try await verify(notification, "--bundle-id", "com.example").code == 0)
    }

    @Test("What is inside of a notification is of its app and of the environment that it states")
    func inside() async throws {
        let other = try await verify(try signedNotification(signedTransaction(bundleID: "com.other")))
        #expect(other.code == 1)
        #expect(
            other.lines == [
                "verdict: unknown_app", "detail: signedTransactionInfo.bundleId: must be that of the notification",
            ])
        let sandbox = try await verify(try signedNotification(signedTransaction(), "Production"))
        #expect(sandbox.code == 1)
        #expect(
            sandbox.lines == [
                "verdict: wrong_environment",
                "detail: signedTransactionInfo.environment: must be that of the notification",
            ])
        let app = try signed(
            #"{"receiptType":"Sandbox","bundleId":"com.example","receiptCreationDate":1717243200000}"#)
        let consent = try signed(
            #"{"notificationType":"RESCIND_CONSENT","signedDate":1717243200000,"appData":{"bundleId":"com.example","#
                + #""environment":"Production","appAppleId":1234,"signedAppTransactionInfo":"\#(app)"}}"#)
        #expect(
            try await verify(consent).lines.last
                == "detail: signedAppTransactionInfo.receiptType: must be that of the notification")
    }

    @Test("A notification is verified with the transaction in it, alone and in its body")
    func notification() async throws {
        let jws = try signedNotification(signedTransaction())
        for input in [jws, #"{"signedPayload":"\#(jws)"}"#] {
            let result = try await verify(
                input, "--format", "json", "--bundle-id", "com.example", "--app-id", "1234")
            #expect(result.code == 0, "\(result.errors)")
            let verdict = try object(result.output)
            #expect(verdict["environment"] as? String == "test")
            let notification = try #require(verdict["notification"] as? [String: Any])
            let data = try #require(notification["data"] as? [String: Any])
            #expect((data["signedTransactionInfo"] as? [String: Any])?["currency"] as? String == "EUR")
        }
    }

    @Test("What is refused has its verdict, and code 1 or 65")
    func refused() async throws {
        let good = try signedNotification(signedTransaction())
        let stranger = try StoreSigner.make(validFrom: 1_577_836_800, validTo: 1_893_456_000)
        let foreign = String(
            decoding: try stranger.sign(Array(#"{"environment":"Sandbox","signedDate":1717243200000}"#.utf8)),
            as: UTF8.self)
        let cases: [(input: String, options: [String], verdict: String, code: Int32)] = [
            (good, ["--bundle-id", "com.other"], "unknown_app", 1),
            (
                try signedNotification(signedTransaction("Production"), "Production"), ["--app-id", "1235"],
                "unknown_app", 1
            ),
            (
                try signedNotification(signedTransaction(bundleID: "com.other")), ["--bundle-id", "com.example"],
                "unknown_app", 1
            ),
            (try signedNotification(signedTransaction() + "A"), [], "malformed", 65),
            (try signedNotification(foreign), [], "untrusted_chain", 1), (foreign, [], "untrusted_chain", 1),
            (try signedTransaction("Moon"), [], "wrong_environment", 1),
            (try signed(#"{"signedDate":1717243200000}"#), [], "wrong_environment", 1),
            (String(good.dropLast(4)) + "AAAA", [], "invalid_signature", 1),
            ("", [], "malformed", 65), ("a.b.c", [], "malformed", 65), (#"{"signedPayload":1}"#, [], "malformed", 65),
            (#"{"signedPayload":"#, [], "malformed", 65), ("{}", [], "malformed", 65),
            (String(repeating: "a", count: 70_000), [], "too_large", 65),
        ]
        for (input, options, verdict, code) in cases {
            let result = try await Tool.run(
                ["verify-jws", "--test-root", folder["root.der"], "--format", "json"] + options, input: input)
            #expect(result.code == code, "\(verdict)")
            let object = try object(result.output)
            #expect(object["verdict"] as? String == verdict, "\(object)")
            #expect(object["environment"] is NSNull && (object["detail"] as? String)?.isEmpty == false)
        }
    }

    @Test("An input of more bytes than are read has the verdict too_large, as text and as JSON")
    func tooLarge() async throws {
        let input = String(repeating: "a", count: 200_000)
        let text = try await verify(input)
        #expect(text.code == 65 && text.errors.isEmpty, "\(text.errors)")
        #expect(
            text.lines == ["verdict: too_large", "detail: standard input: must have at most 131072 bytes"])
        let json = try await verify(input, "--format", "json")
        #expect(json.code == 65)
        let verdict = try object(json.output)
        #expect(verdict["verdict"] as? String == "too_large" && verdict["environment"] is NSNull)
        try folder.write("large", input)
        let file = try await Tool.adsign("verify-jws", folder["large"])
        #expect(file.code == 65)
        #expect(file.lines.last == "detail: \(folder["large"]): must have at most 131072 bytes")
    }

    @Test("Without its root nothing is valid")
    func roots() async throws {
        #expect(try await Tool.adsign("verify-jws", input: try signedTransaction()).code == 1)
        #expect(try await Tool.adsign("verify-jws", folder["none"]).code == 66)
        #expect(try await Tool.adsign("verify-jws", "--app-id", "x").code == 64)
    }
}
