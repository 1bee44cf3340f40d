import PostbackStore
import Testing

@Suite("IP addresses")
struct IPAddressTests {
    @Test(
        "An address has one text, in the form of RFC 5952",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("::", "::"), ("::1", "::1"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"),
            ("2001:0db8:0000:0001:0000:0000:0000:0001", "2001:db8:0:1::1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("64:ff9b::192.0.2.1", "64:ff9b::c000:201"),
            ("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ])
    func text(given: String, expected: String) throws {
        let address = try #require(IPAddress(given))
        #expect(address.description == expected)
        #expect(IPAddress(expected) == address)
    }

    @Test(
        "An IPv4-mapped IPv6 address is the IPv4 address",
        arguments: ["::ffff:192.0.2.1", "::FFFF:C000:201", "0:0:0:0:0:ffff:192.0.2.1"])
    func mapped(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address == IPAddress("192.0.2.1"))
        #expect(address.family == .ipv4)
        #expect(address.description == "192.0.2.1")
        #expect(IPAddress(ipv6: 0xFFFF_C000_0201) == address)
        #expect(IPAddress(ipv4: 0xC000_0201) == address)
    }

    @Test(
        "A text that is not a numeric address is refused",
        arguments: [
            "", " ", "localhost", "192.0.2", "192.0.2.256", "192.0.2.1.1", "192.0.2.01", "0x7f.0.0.1", "3221225985",
            "192.0.2.1 ", " 192.0.2.1", "192.0.2.1:80", "192.0.2.1/32", "192.0.2.1\0", "192.0.2.1\0x", "١.1.1.1",
            "[::1]", "::1%lo", "fe80::1%eth0", "::1/128", ":::", "1::2::3", "12345::", "::g", "1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:8:9", "::ffff:192.0.2.256", String(repeating: "0", count: 1_000_000) + "::1",
        ])
    func refused(text: String) {
        #expect(IPAddress(text) == nil)
    }
}
