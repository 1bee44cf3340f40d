import Logging
import Testing

@testable import Observability

@Suite("Ids of requests")
struct RequestIDTests {
    @Test("An id of ours is well formed, and none is made twice, also by many threads")
    func made() async {
        let ids = await withTaskGroup(of: [RequestID].self) { group in
            for _ in 0..<8 { group.addTask { (0..<1_000).map { _ in RequestID() } } }
            return await group.reduce(into: [RequestID]()) { $0 += $1 }
        }
        #expect(Set(ids).count == 8_000)
        #expect(ids.allSatisfy { RequestID($0.description) == $0 })
    }

    @Test("An id of others has 1 to 128 letters, digits and four marks")
    func taken() {
        for text in ["a", "00-Az_9.8:7", String(repeating: "x", count: 128)] {
            #expect(RequestID(text)?.description == text)
        }
        for text in [
            "", " ", "a b", "a\n", "a\r\nSet-Cookie: b", "ä", "a/b", "a\"", String(repeating: "x", count: 129),
        ] {
            #expect(RequestID(text) == nil, "\(text)")
        }
    }

    @Test("Lines of the log have the ids of the request that is at work, also in tasks that it makes")
    func logged() async {
        let headers = ["X-Request-ID": "one"]
        let identity = RequestIdentity(of: headers, isTrusted: true) { [$0[$1]].compactMap(\.self) }
        #expect(identity.metadata == ["request_id": "one"])
        #expect(RequestIdentity.metadataProvider.get() == [:])
        await identity.withScope {
            let seen = await Task { RequestIdentity.metadataProvider.get() }.value
            #expect(seen == ["request_id": "one"])
        }
        let other = RequestIdentity(of: headers, isTrusted: false) { [$0[$1]].compactMap(\.self) }
        #expect(other.id.description != "one")
    }
}
