import PostbackStore
import Testing

@testable import PostbackIngest

@Suite("Trusted proxies")
struct TrustedProxiesTests {
    private func contains(_ list: String, _ address: String) throws -> Bool {
        try TrustedProxies(list).contains(try #require(IPAddress(address)))
    }

    @Test(
        "A network contains the addresses with its prefix, and no others",
        arguments: [
            ("10.0.0.0/8", "10.255.255.255", "11.0.0.0"), ("192.0.2.128/25", "192.0.2.128", "192.0.2.127"),
            ("192.0.2.7", "192.0.2.7", "192.0.2.6"), ("192.0.2.7/32", "192.0.2.7", "192.0.2.8"),
            ("0.0.0.0/0", "203.0.113.9", "::1"), ("::/0", "2001:db8::1", "192.0.2.1"),
            ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"), ("2001:db8::8/127", "2001:db8::9", "2001:db8::a"),
            ("::1", "::1", "::2"), ("::1/128", "::1", "::"),
            ("::ffff:10.0.0.0/104", "10.1.2.3", "11.1.2.3"), ("::ffff:10.1.2.3", "10.1.2.3", "10.1.2.4"),
            ("::ffff:0.0.0.0/96", "10.1.2.3", "::2"), (" 10.0.0.1 ,\t::1 , 192.0.2.0/24", "192.0.2.9", "10.0.0.2"),
        ])
    func networks(list: String, inside: String, outside: String) throws {
        #expect(try contains(list, inside))
        #expect(try !contains(list, outside))
    }

    @Test(
        "A wrong entry is refused, and the error shows it",
        arguments: [
            "", "proxy.example", "10.0.0", "10.0.0.256", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/",
            "10.0.0.0/8/8", "10.0.0.0/ 8", "10.0.0.0/00008", "2001:db8::/129", "::ffff:10.0.0.0/95", "[::1]",
            "10.0.0.1:80", "fe80::1%eth0", "unix", "UNIX:", "unix:/tmp/socket", "/8", "10.1.2.3/8", "2001:db8::1/64",
        ])
    func refused(entry: String) throws {
        for list in [entry, "192.0.2.1,\(entry)", "\(entry),192.0.2.1", "192.0.2.1, \(entry) ,::1"] {
            let error = #expect(throws: TrustedProxiesError.self) { try TrustedProxies(list) }
            #expect(error?.description.contains("\"\(entry)\"") == true)
        }
    }

    @Test("An address with bits after its prefix is refused, and the error names the network")
    func freeBits() throws {
        let error = #expect(throws: TrustedProxiesError.self) { try TrustedProxies("10.1.2.3/8") }
        #expect(error?.description.contains("10.0.0.0/8") == true)
    }

    @Test("Only `unix:` trusts clients of a Unix-domain socket, and nothing trusts an unknown peer")
    func unixSockets() throws {
        let everybody = "0.0.0.0/0,::/0"
        #expect(try TrustedProxies("unix:").contains(.unixSocket))
        #expect(try TrustedProxies("10.0.0.1, unix:").contains(.unixSocket))
        #expect(try !TrustedProxies(everybody).contains(.unixSocket))
        #expect(try !TrustedProxies(everybody + ",unix:").contains(.unknown))
        #expect(try !contains("unix:", "127.0.0.1"))
    }
}
