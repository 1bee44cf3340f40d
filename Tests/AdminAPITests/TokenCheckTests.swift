import Access
import AuditTrail
import Logging
import Observability
import PostbackIngest
import PostbackStore
import Synchronization
import TestSupport
import Testing

@testable import AdminAPI
@testable import PostbackIngest

@Suite("Checking admin tokens")
struct TokenCheckTests {
    private static let token = String(repeating: "right", count: 8)

    private func check(
        pause: Duration, named: TokenRing = TokenRing(), at time: Int64 = 0,
        sums: @escaping TokenCheck.Sums = { _, _, _ in }
    ) throws -> TokenCheck {
        TokenCheck(
            admin: BearerToken(Self.token), named: try TokensInForce { _ in named }, clock: WallClock { time * 1_000 },
            logger: .silent, pause: pause, sums: sums)
    }

    @Test("While eight wrong tokens wait, others are refused at once, and the right one is taken at once")
    func waiting() async throws {
        let check = try check(pause: .seconds(3_600))
        let waiting = (0..<TokenCheck.capacity).map { _ in
            Task { await check.caller("wrong", .bearer, from: .unixSocket) }
        }
        try await eventually("eight wait") { check.waitingCount == 8 ? true : nil }
        // These would not come back for an hour if they waited too.
        for _ in 0..<100 { #expect(await check.caller("wrong", .form, from: .unknown) == nil) }
        #expect(await check.caller(Self.token, .bearer, from: .unknown)?.person == .admin)
        #expect(await check.caller(Self.token, .form, from: .unknown)?.scopes == .all)
        for task in waiting { task.cancel() }
        for task in waiting { #expect(await task.value == nil) }
        #expect(check.waitingCount == 0)
    }

    @Test("A wrong token waits for the whole pause")
    func pause() async throws {
        let check = try check(pause: .milliseconds(200))
        let start = ContinuousClock.now
        #expect(await check.caller("wrong", .bearer, from: .unknown) == nil)
        #expect(ContinuousClock.now - start >= .milliseconds(200))
    }

    @Test("A named token is taken until its end, with its scopes, and is a wrong one afterwards")
    func named() async throws {
        let (text, token) = BearerToken.generate()
        let name = try #require(TokenName("ann"))
        let start = try #require(TokenTime(seconds: 0))
        let act = try #require(NamedToken.Act(start, by: "system user bob"))
        let end = try #require(TokenTime(seconds: 60))
        var ring = TokenRing()
        try ring.add(token, name: name, scopes: [.read, .sign], added: act, ends: end)
        let caller = try await check(pause: .zero, named: ring, at: 59).caller(text, .bearer, from: .unixSocket)
        #expect(caller?.person == .token(name) && caller?.scopes == [.read, .sign])
        #expect(caller?.may(.load) == false)
        let sums = Mutex<[String]>([])
        let late = try check(pause: .zero, named: ring, at: 60) { action, actor, counts in
            sums.withLock { $0.append("\(action) \(actor.origin) \(counts.map { "\($0.name) \($0.count)" })") }
        }
        #expect(await late.caller(text, .bearer, from: .unixSocket) == nil)
        #expect(late.callers.map(\.person) == [.admin])
        #expect(sums.withLock { $0 } == ["refusal unix [\"bearer 1\"]"])
    }

    @Test("A refusal is summed by the address, of IPv6 by the network of 64 bits")
    func network() throws {
        for (address, network) in [
            ("192.0.2.7", "192.0.2.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("::1", "::/64"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
        ] {
            let parsed = try #require(IPAddress(address))
            #expect(ConnectionPeer.address(parsed).network == network)
        }
        #expect(ConnectionPeer.unixSocket.network == "unix")
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
