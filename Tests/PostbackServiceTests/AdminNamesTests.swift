import Testing

@testable import HTTPListener
@testable import PostbackService

@Suite("The names of the admin listener")
struct AdminNamesTests {
    private func knows(_ host: String, _ names: AdminNames?) throws -> Bool? {
        let host = try #require(RequestHost(host))
        return names?.contains(host)
    }

    @Test("The host at which the listener is bound is known if it is a name; nothing is known of 0.0.0.0 and ::")
    func bound() throws {
        for (bound, isKnown) in [
            ("attribution.internal", true), ("0.0.0.0", false), ("::", false), ("10.0.0.1", false),
        ] {
            let place = ListenerPlace.address(.init(host: bound, port: 8081))
            let names = place.names(beside: AdminNames())
            #expect(try knows("Attribution.internal:80", names) == isKnown, "\(bound)")
            #expect(try knows("localhost", names) == true)
            #expect(try knows("192.0.2.7:8081", names) == true)
            #expect(try knows("rebound.example.com", names) == false)
        }
    }

    @Test("The names of the setting are known beside the bound one; over the socket every name is")
    func listed() throws {
        let list = try #require(AdminNames("a.example.com,b.example.com."))
        let names = ListenerPlace.address(.init(host: "c", port: 1)).names(beside: list)
        for host in ["a.example.com", "B.EXAMPLE.COM:1", "c."] { #expect(try knows(host, names) == true, "\(host)") }
        for host in ["example.com", "x.a.example.com", "a.example.com.evil", ""] {
            #expect(try knows(host, names) == false, "\(host)")
        }
        let path = try #require(SocketPath("/run/admin.sock"))
        #expect(ListenerPlace.socket(path).names(beside: list) == nil)
        #expect(AdminNames("") == AdminNames())
    }
}
