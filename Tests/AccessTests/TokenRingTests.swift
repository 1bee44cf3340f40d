import Access
import Foundation
import Testing

@Suite("The named tokens of the key ring")
struct TokenRingTests {
    private let start: Int64 = 1_790_000_000

    private func time(day: Int64) throws -> TokenTime { try #require(TokenTime(seconds: start + day * 86_400)) }

    private func act(day: Int64 = 0) throws -> NamedToken.Act {
        try #require(NamedToken.Act(try time(day: day), by: "system user ann"))
    }

    private func name(_ text: String) throws -> TokenName { try #require(TokenName(text)) }

    /// Adds a token that is valid for 30 days.
    private func add(_ name: String, to ring: inout TokenRing, day: Int64 = 0) throws -> BearerToken {
        let token = BearerToken.generate().token
        try ring.add(
            token, name: self.name(name), scopes: [.read], added: act(day: day), ends: time(day: day + 30))
        return token
    }

    @Test("A token is a prefix and 256 random bits, each time others, and is found by its text alone")
    func generated() throws {
        let (text, token) = BearerToken.generate()
        #expect(text.wholeMatch(of: /adatt_[A-Za-z0-9_-]{43}/) != nil)
        #expect(BearerToken.generate().text != text)
        #expect(BearerToken(text) == token)
        #expect(BearerToken(sha256: token.sha256) == token)
        #expect(token.sha256.hasPrefix(token.id) && token.id.count == 8)
        #expect(BearerToken(sha256: String(token.sha256.dropLast())) == nil)
        var ring = TokenRing()
        try ring.add(token, name: name("ann"), scopes: [.read], added: act(), ends: time(day: 1))
        _ = try add("bob", to: &ring)
        let found = ring.token(try #require(BearerToken(text)))
        #expect(found?.name.description == "ann")
        #expect(ring.token(BearerToken.generate().token) == nil)
    }

    @Test("A token is valid until its end or until it is revoked, and stays known")
    func states() throws {
        var ring = TokenRing()
        let token = try add("ann", to: &ring)
        let name = try name("ann")
        func state(day: Int64) throws -> NamedToken.State? { try ring.token(token)?.state(at: time(day: day)) }
        #expect(try state(day: 29) == .valid)
        #expect(try state(day: 30) == .ended)
        let revoked = try ring.revoke(name, act(day: 2))
        #expect(revoked.token == token)
        #expect(try state(day: 3) == .revoked)
        #expect(throws: TokenRing.Refusal.unknown(name, id: nil)) { try ring.revoke(name, act(day: 3)) }
    }

    @Test("A name has two valid tokens at most, and which one is revoked must be said")
    func rotation() throws {
        var ring = TokenRing()
        let first = try add("bidder", to: &ring)
        let second = try add("bidder", to: &ring)
        let name = try name("bidder")
        #expect(throws: TokenRing.Refusal.twoValid(name, ids: [first.id, second.id])) { try add("bidder", to: &ring) }
        #expect(
            TokenRing.Refusal.twoValid(name, ids: ["0a", "0b"]).description.hasSuffix(
                ": PostbackServer token revoke bidder --id 0a or PostbackServer token revoke bidder --id 0b"))
        #expect(throws: TokenRing.Refusal.several(name, ids: [first.id, second.id])) {
            try ring.revoke(name, act(day: 1))
        }
        #expect(throws: TokenRing.Refusal.unknown(name, id: "00000000")) {
            try ring.revoke(name, id: "00000000", act(day: 1))
        }
        let revoked = try ring.revoke(name, id: first.id, act(day: 1))
        #expect(revoked.token == first)
        #expect(try ring.token(second)?.state(at: time(day: 1)) == .valid)
        // Others have tokens of their own.
        _ = try add("bidder", to: &ring)
        _ = try add("other", to: &ring)
    }

    @Test("A token that opens nothing leaves the list after 90 days, and there are 256 at most")
    func bound() throws {
        var ring = TokenRing()
        let ended = try add("ended", to: &ring)
        _ = try add("ann", to: &ring, day: 120)
        #expect(ring.token(ended) != nil)
        _ = try add("bob", to: &ring, day: 121)
        #expect(ring.token(ended) == nil)
        var full = TokenRing()
        for number in 0..<TokenRing.greatestCount { _ = try add("program-\(number)", to: &full) }
        #expect(throws: TokenRing.Refusal.tooMany) { try add("one-more", to: &full) }
    }

    @Test("A name has letters in lower case, digits and three signs; a user's name is ASCII without blanks")
    func names() {
        for good in ["a", "7", "ann.smith_2-x", String(repeating: "x", count: 64)] { #expect(TokenName(good) != nil) }
        for bad in ["", "Ann", "-a", "a b", "a/b", "é", "a\n", String(repeating: "x", count: 65)] {
            #expect(TokenName(bad) == nil, "\(bad)")
        }
        for good in ["Ann@example.com", "CN=Ann", String(repeating: "x", count: 100)] { #expect(UserName(good) != nil) }
        for bad in ["", "a b", "é", "a\u{1B}", String(repeating: "x", count: 101)] {
            #expect(UserName(bad) == nil, "\(bad)")
        }
    }

    @Test("A time is written in one way, and no other text is one")
    func times() throws {
        #expect(TokenTime("2027-01-31T00:00:00Z")?.description == "2027-01-31T00:00:00Z")
        #expect(TokenTime(seconds: 0)?.description == "1970-01-01T00:00:00Z")
        #expect(TokenTime(seconds: 253_402_300_799)?.description == "9999-12-31T23:59:59Z")
        for bad in [
            "", "2027-01-31", "2027-01-31T00:00:00", "2027-01-31T00:00:00+00:00", "2027-02-30T00:00:00Z",
            "1969-12-31T23:59:59Z", "2027-01-31T00:00:00.5Z", "soon",
        ] {
            #expect(TokenTime(bad) == nil, "\(bad)")
        }
        #expect(TokenTime(seconds: -1) == nil)
        #expect(TokenTime(seconds: .max) == nil)
    }
}
