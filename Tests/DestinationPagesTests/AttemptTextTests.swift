import Destinations
import Testing

@testable import DestinationPages
@testable import PageViews

@Suite("A request to a destination and its answer, as texts")
struct AttemptTextTests {
    private let request = PreparedRequest(
        method: .post, url: "https://example.com/{secret:token}",
        headers: [HeaderField(name: "X-Key", value: "{secret:key}"), HeaderField(name: "X-Day", value: "5")],
        body: [0x7B, 0xFF, 0x7D], webhookID: "5-1", signing: [])

    @Test("A request has its headers in order, webhook-id behind them, and names of secrets as they stand")
    func headers() {
        let blocks = AttemptText.blocks(request, answer: nil)
        #expect(blocks.map(\.blockID) == ["request", "body"])
        #expect(
            blocks.first?.text
                == "POST https://example.com/{secret:token}\nX-Key: {secret:key}\nX-Day: 5\nwebhook-id: 5-1")
    }

    @Test("Bytes that are no UTF-8 are shown as U+FFFD, and all bytes are counted")
    func bytes() {
        let blocks = AttemptText.blocks(request, answer: [0xFE], prefix: "test-")
        #expect(blocks.map(\.blockID) == ["test-request", "test-body", "test-answer"])
        #expect(blocks.map(\.text).suffix(2) == ["{\u{FFFD}}", "\u{FFFD}"])
        #expect(blocks.dropFirst().first?.note?.hasPrefix("3 bytes") == true)
    }

    @Test("An answer without a body has no text")
    func emptyAnswer() {
        #expect(AttemptText.blocks(request, answer: []).map(\.blockID) == ["request", "body"])
    }
}
