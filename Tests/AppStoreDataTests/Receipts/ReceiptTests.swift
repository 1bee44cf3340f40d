import AdAttribution
import AppStoreData
import TestSupport
import Testing

@Suite("What receipts say")
struct ReceiptTests {
    @Test("Each attribute is read, and of the others the types are kept")
    func attributes() throws {
        var content = TestReceipt.sandbox(.purchase(), .purchase("2024-05-31T23:59:59-0130"))
        content.attributes += [(4_464, [1]), (4_464, [2]), (25, [])]
        for type: Int64 in 6...11 { content.attributes.append((type, [0x30, 0x80, 0xFF])) }
        content[21] = TestReceipt.date("4001-01-01T00:00:00Z")
        let receipt = try Receipt(content: content.content)
        #expect(receipt.type == "ProductionSandbox")
        #expect(receipt.bundleID == "com.example")
        #expect(receipt.appVersion == "7")
        #expect(receipt.originalAppVersion == "1.0")
        #expect(receipt.opaqueValue == [1, 2, 3])
        #expect(receipt.hash.count == 20)
        #expect(receipt.createdAt == 1_717_243_200_000)
        #expect(receipt.expiresAt == 64_092_211_200_000)
        #expect(receipt.otherTypes == [1, 6, 7, 8, 9, 10, 11, 25, 4_464])
        #expect(receipt.purchases.map(\.purchasedAt) == [1_714_564_800_000, 1_717_205_399_000])
        let purchase = try #require(receipt.purchases.first)
        #expect(purchase.quantity == 2)
        #expect(purchase.productID == "coins")
        #expect(purchase.transactionID == "1000001")
        #expect(purchase.originalTransactionID == "1000000")
        #expect(purchase.originallyPurchasedAt == 1_711_929_600_000)
        #expect(purchase.expiresAt == 1_717_200_000_250)
        #expect(purchase.webOrderLineItemID == 256)
        #expect(purchase.cancelledAt == 1_714_608_000_000)
        #expect(purchase.isIntroductoryPrice == true)
        #expect(purchase.otherTypes == [1_713])
    }

    @Test("What may be missing is nil, as in receipts of Xcode")
    func missing() throws {
        let receipt = try Receipt(content: TestReceipt.xcode(.purchase()).content)
        #expect(receipt.type == "Xcode" && receipt.environment == nil)
        #expect(receipt.originalAppVersion == nil && receipt.expiresAt == nil && receipt.otherTypes == [1, 8])
        #expect(receipt.purchases.map(\.transactionID) == ["0"])
        #expect(receipt.purchases.map(\.isIntroductoryPrice) == [false])
        let least = TestReceipt([
            (1702, TestReceipt.text("coins")), (1703, TestReceipt.text("1")),
            (1704, TestReceipt.date("2024-05-01T12:00:00Z")),
        ])
        let purchase = try #require(Receipt(content: TestReceipt.xcode(least).content).purchases.first)
        #expect(purchase.quantity == 1 && purchase.originalTransactionID == nil)
        #expect(purchase.originallyPurchasedAt == nil && purchase.expiresAt == nil && purchase.cancelledAt == nil)
        #expect(purchase.webOrderLineItemID == nil && purchase.otherTypes.isEmpty)
    }

    @Test("Xcode's receipts are read", .enabled(if: XcodeReceipt.areHere, XcodeReceipt.reason))
    func xcode() throws {
        let empty = try Receipt(content: CMSSignedData(der: XcodeReceipt.message(XcodeReceipt.empty)).content)
        #expect(empty.type == "Xcode" && empty.environment == nil)
        #expect(empty.bundleID == "com.example.naturelab.backyardbirds.example")
        #expect(empty.originalAppVersion == nil && empty.purchases.isEmpty && empty.otherTypes == [1, 8])
        let message = try XcodeReceipt.message(XcodeReceipt.withTransaction)
        let receipt = try Receipt(content: CMSSignedData(der: message).content)
        let purchase = try #require(receipt.purchases.first)
        #expect(receipt.purchases.count == 1 && purchase.productID == "pass.premium" && purchase.transactionID == "0")
        #expect(purchase.purchasedAt == 1_697_679_936_000 && purchase.expiresAt == 1_700_358_336_000)
        #expect(purchase.isIntroductoryPrice == true && purchase.otherTypes.isEmpty)
    }

    @Test("The type tells the environment")
    func environments() throws {
        let cases: [(type: String, environment: AttributionEnvironment?)] = [
            ("Production", .production), ("ProductionVPP", .production), ("ProductionSandbox", .development),
            ("ProductionVPPSandbox", .development), ("Xcode", nil), ("production", nil),
        ]
        for (type, environment) in cases {
            var content = TestReceipt.sandbox()
            content[0] = TestReceipt.text(type)
            #expect(try Receipt(content: content.content).environment == environment, "\(type)")
        }
    }

    private func refusal(_ content: [UInt8]) -> String {
        do throws(ReceiptRejection) {
            _ = try Receipt(content: content)
            return "none"
        } catch {
            return error.reason == .malformed ? error.description : "\(error.reason)"
        }
    }

    @Test("What is missing, of another kind or not DER is refused by its type")
    func malformed() {
        for type: Int64 in [0, 2, 3, 4, 5, 12] {
            var content = TestReceipt.sandbox()
            content[type] = nil
            #expect(refusal(content.content) == "type \(type): is missing")
        }
        let cases: [(type: Int64, value: [UInt8], rule: String)] = [
            (2, [], "a text"), (2, TestReceipt.text("a") + [0], "a text"), (2, [0x0C, 1, 0xFF], "a text"),
            (2, TestReceipt.integer([1]), "a text"), (3, [0x16, 1, 0x80], "a text"),
            (3, [0x0C, 0x81, 1, 0x61], "a text"), (3, [0x0C, 0x80, 0x61, 0, 0], "a text"),
            (19, [0x0C, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], "a text"),
            (12, TestReceipt.date("2024-02-30T00:00:00Z"), "a date of RFC 3339"),
            (12, TestReceipt.date("2024-06-01 12:00:00Z"), "a date of RFC 3339"),
            (21, TestReceipt.date("1717243200"), "a date of RFC 3339"), (21, TestReceipt.integer([1]), "a text"),
        ]
        for (type, value, rule) in cases {
            var content = TestReceipt.sandbox()
            content[type] = value
            #expect(refusal(content.content) == "type \(type): must be \(rule)", "\(value)")
        }
        for value: [UInt8] in [[], [0], [0, 1], [0xFF, 0x80], [UInt8](repeating: 1, count: 9)] {
            var purchase = TestReceipt.purchase()
            purchase[1701] = TestReceipt.integer(value)
            let isGood = value == [0]
            #expect(
                refusal(TestReceipt.sandbox(.purchase(), purchase).content)
                    == (isGood ? "none" : "type 1701 of purchase 2: must be an integer"), "\(value)")
        }
    }

    @Test("A known type that stands twice is refused, since parsers disagree about which one counts")
    func doubled() {
        for type: Int64 in [0, 2, 3, 4, 5, 12, 19, 21] {
            var content = TestReceipt.sandbox(.purchase())
            content.attributes.append((type, content[type] ?? []))
            #expect(refusal(content.content) == "type \(type): stands twice")
        }
        var purchase = TestReceipt.purchase()
        purchase.attributes.append((1704, purchase[1704] ?? []))
        #expect(refusal(TestReceipt.sandbox(purchase).content) == "type 1704 of purchase 1: stands twice")
    }

    @Test("What is cut, nested or has bytes behind it is refused")
    func broken() {
        let content = TestReceipt.sandbox(.purchase()).content
        for count in content.indices { #expect(refusal(Array(content[..<count])) == "attributes: must be a SET") }
        #expect(refusal(content + content) == "attributes: must be a SET")
        #expect(refusal(TestReceipt.der(0x31, content)) == "attributes: must be SEQUENCEs")
        let nested = (0..<5_000).reduce([UInt8]()) { inner, _ in TestReceipt.der(0x31, inner) }
        #expect(refusal(nested) == "attributes: must be SEQUENCEs")
        var receipt = TestReceipt.sandbox()
        receipt.attributes.append((17, nested))
        #expect(refusal(receipt.content) == "attributes of purchase 1: must be SEQUENCEs")
        receipt[17] = []
        #expect(refusal(receipt.content) == "attributes of purchase 1: must be a SET")
    }

    @Test("Random changes are read or refused as malformed")
    func changed() {
        var random = SeededGenerator(seed: 36)
        let (sandbox, xcode) = (TestReceipt.sandbox(.purchase()).content, TestReceipt.xcode(.purchase()).content)
        for round in 0..<5_000 {
            var content = round % 2 == 0 ? sandbox : xcode
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let start = Int.random(in: 0...content.count, using: &random)
                let end = min(content.count, start + Int.random(in: 0...2, using: &random))
                content.replaceSubrange(start..<end, with: random.bytes(Int.random(in: 0...2, using: &random)))
            }
            let refusal = refusal(content)
            #expect(refusal == "none" || refusal.contains("must be") || refusal.contains(": "), "\(refusal)")
        }
    }
}
