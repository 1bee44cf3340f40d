import NIOHTTP1
import ReceiverSupport
import TestSupport
import Testing

@testable import AppStoreClient

@Suite("Exchanging a token of Apple Ads", .ownThread)
struct AppleAdsClientTests {
    private static let token = "G9i5hC8lQJeGOfmS+MFycll/025oJEjtpZ+rs4AUkDE="
    /// Apple's example of a detailed payload.
    private static let payload = """
        {"attribution":true,"orgId":40669820,"campaignId":542370539,"conversionType":"Download",
         "clickDate":"2024-10-08T17:17Z","claimType":"Click","adGroupId":542317095,"countryOrRegion":"US",
         "keywordId":87675432,"adId":542317136,"supplyPlacement":"APPSTORE_SEARCH_RESULTS","new":[1]}
        """

    /// What a request comes to that gets a reaction, and what was asked.
    private func answers(
        _ reaction: TestReceiver.Reaction, timeout: Duration = .seconds(60)
    ) async throws -> (answer: AppleAdsAnswer, requests: [TestReceiver.Request]) {
        var found: (AppleAdsAnswer, [TestReceiver.Request])?
        try await TestReceiver.with(react: { _, _ in reaction }) { receiver in
            let address = try #require(AppleAdsAddress(loopback: "http://127.0.0.1:\(receiver.port)"))
            let client = AppleAdsClient(at: address, timeout: timeout)
            let answer = await client.exchange(Self.token)
            await client.close()
            found = (answer, receiver.requests)
        }
        return try #require(found)
    }

    /// Why there is no answer that can be used.
    private func reason(_ reaction: TestReceiver.Reaction, timeout: Duration = .seconds(60)) async throws -> String {
        let answer = try await answers(reaction, timeout: timeout).answer
        guard case .later(let reason) = answer else {
            Issue.record("\(answer)")
            return ""
        }
        #expect(!reason.contains(Self.token))
        return reason
    }

    @Test("The token is the body of one request of plain text, and Apple's payload is read")
    func record() async throws {
        let (answer, requests) = try await answers(json(Self.payload))
        let request = try #require(requests.first)
        #expect(requests.count == 1 && request.method == "POST" && request.path == "/api/v1/")
        #expect(request.text == Self.token && request.headers["Content-Type"] == ["text/plain"])
        guard case .record(let record) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(record.isAttributed && record.orgID == 40_669_820 && record.campaignID == 542_370_539)
        #expect(record.adGroupID == 542_317_095 && record.keywordID == 87_675_432 && record.adID == 542_317_136)
        #expect(record.countryOrRegion == "US" && record.conversionType == "Download" && record.claimType == "Click")
        #expect(record.supplyPlacement == "APPSTORE_SEARCH_RESULTS" && record.adDay == "2024-10-08")
    }

    @Test("Of an install without an ad nothing else is kept, and types of conversions have one spelling")
    func forms() async throws {
        let none = try await answers(json(#"{"attribution":false,"campaignId":1,"claimType":"Click"}"#)).answer
        #expect(none == .record(.unattributed))
        for (written, read) in [("PreOrder", "Preorder"), ("preorder", "Preorder"), ("Rebuy", "Rebuy")] {
            let body = "{\"attribution\":true,\"campaignId\":1,\"conversionType\":\"\(written)\",\"keywordId\":null}"
            guard case .record(let record) = try await answers(json(body)).answer else {
                Issue.record("\(written)")
                continue
            }
            #expect(record.conversionType == read && record.keywordID == nil && record.adDay == nil)
        }
    }

    @Test("An odd member that an attribution can do without is as if it was not there, and the attribution counts")
    func odd() async throws {
        let long = String(repeating: "x", count: 65)
        let body = """
            {"attribution":true,"campaignId":7,"conversionType":"Redownload","orgId":1.5,"adGroupId":"8",
             "keywordId":[9],"adId":99999999999999999999,"countryOrRegion":"\(long)","claimType":"a\\u0000b",
             "supplyPlacement":"","clickDate":17,"impressionDate":"2026-03-01T17:17Z"}
            """
        guard case .record(let record) = try await answers(json(body)).answer else {
            Issue.record("no record")
            return
        }
        #expect(record.isAttributed && record.campaignID == 7 && record.conversionType == "Redownload")
        #expect(record.orgID == nil && record.adGroupID == nil && record.keywordID == nil && record.adID == nil)
        #expect(record.countryOrRegion == nil && record.claimType == nil && record.supplyPlacement == nil)
        #expect(record.adDay == "2026-03-01")
    }

    @Test("400 is no token, 404 may become one, and everything else can be asked again")
    func statuses() async throws {
        #expect(try await answers(json("", status: 400)).answer == .badToken)
        #expect(try await answers(json("", status: 404)).answer == .notFound)
        for status in [204, 302, 401, 403, 429, 500, 503] {
            let reaction = json(Self.token, status: status, headers: ["Location: http://127.0.0.1:1/"])
            #expect(try await reason(reaction) == "the answer is \(status)")
        }
    }

    @Test(
        "What Apple does not describe is no record, and no part of it is shown",
        arguments: [
            "", "garbage", "[]", "{}", "{\"attribution\":\"true\"}", "{\"attribution\":1}", "{\"attribution\":true}",
            #"{"attribution":true,"campaignId":1}"#, #"{"attribution":true,"conversionType":"Download"}"#,
            #"{"attribution":true,"campaignId":"1","conversionType":"Download"}"#,
            #"{"attribution":true,"campaignId":1,"conversionType":"a\u0000b"}"#,
            #"{"attribution":true,"campaignId":1,"conversionType":"Down load"}"#,
            #"{"attribution":true,"campaignId":99999999999999999999,"conversionType":"Download"}"#,
            "{\"attribution\":true,\"campaignId\":1,\"conversionType\":\"\(String(repeating: "x", count: 65))\"}",
            #"{"attribution":true,"attribution":false}"#,
        ])
    func garbage(body: String) async throws {
        let reason = try await reason(json(body))
        #expect(reason.hasPrefix("answer.") || reason.hasPrefix("the answer, line "), "\(reason)")
        #expect(!reason.contains("xxx") && !reason.contains("\0"))
    }

    @Test("An answer that is too large ends when its size is known, and one that hangs in time")
    func hostile() async throws {
        for head in ["Content-Length: 65537\r\n", "Connection: close\r\n"] {
            let reason = try await reason(.endless("HTTP/1.1 200 OK\r\n\(head)\r\n"))
            #expect(reason == "the answer has more than 64 KiB")
        }
        let hanging: [TestReceiver.Reaction] = [.silence, .bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{")]
        for reaction in hanging {
            #expect(try await reason(reaction, timeout: .seconds(1)).hasPrefix("no whole answer within"))
        }
        let broken: [TestReceiver.Reaction] = [.bytes("what is this\r\n\r\n"), .bytesAndClose("")]
        for reaction in broken { #expect(try await reason(reaction).hasPrefix("no answer: ")) }
    }

    @Test("Another server than Apple's can only be on this machine")
    func address() {
        #expect(AppleAdsAddress.apple.url == "https://api-adservices.apple.com/api/v1/")
        #expect(AppleAdsAddress(loopback: "http://127.0.0.1:80")?.url == "http://127.0.0.1:80/api/v1/")
        for text in ["http://127.0.0.2:80", "https://api-adservices.apple.com", "http://127.0.0.1:80/", ""] {
            #expect(AppleAdsAddress(loopback: text) == nil)
        }
    }
}
