import Logging
import PostbackIngest
import TestSupport
import Testing

@testable import AdminAPI
@testable import PostbackIngest

@Suite("Checking admin tokens")
struct TokenCheckTests {
    private static let token = String(repeating: "right", count: 8)

    private func check(pause: Duration) -> TokenCheck {
        TokenCheck(token: BearerToken(Self.token), logger: .silent, pause: pause)
    }

    @Test("While eight wrong tokens wait, others are refused at once, and the right one is taken at once")
    func waiting() async throws {
        let check = check(pause: .seconds(3_600))
        let waiting = (0..<TokenCheck.capacity).map { _ in
            Task { await check.allows("wrong", .bearer, from: .unixSocket) }
        }
        try await eventually("eight wait") { check.waitingCount == 8 ? true : nil }
        // These would not come back for an hour if they waited too.
        for _ in 0..<100 { #expect(await check.allows("wrong", .form, from: .unknown) == false) }
        #expect(await check.allows(Self.token, .bearer, from: .unknown))
        #expect(await check.allows(Self.token, .form, from: .unknown))
        for task in waiting { task.cancel() }
        for task in waiting { #expect(await task.value == false) }
        #expect(check.waitingCount == 0)
    }

    @Test("A wrong token waits for the whole pause")
    func pause() async {
        let check = check(pause: .milliseconds(200))
        let start = ContinuousClock.now
        #expect(await check.allows("wrong", .bearer, from: .unknown) == false)
        #expect(ContinuousClock.now - start >= .milliseconds(200))
    }

    @Test("A token has 32 to 256 characters of ASCII, without blanks")
    func rule() {
        for good in [String(repeating: "x", count: 32), String(repeating: "~", count: 256)] {
            #expect(BearerToken(good) != nil)
        }
        for bad in [
            "", String(repeating: "x", count: 31), String(repeating: "x", count: 257),
            String(repeating: " ", count: 40),
            Self.token + " ", Self.token + "\n", Self.token + "é", String(repeating: "é", count: 32),
        ] {
            #expect(BearerToken(bad) == nil, "\(bad)")
        }
    }
}
