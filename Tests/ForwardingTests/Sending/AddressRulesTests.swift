import PostbackStore
import Testing

@testable import Forwarding

@Suite("Addresses that requests may go to")
struct AddressRulesTests {
    @Test(
        "An address that is not that of a public host is refused, in whatever form",
        arguments: [
            "127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255",
            "192.168.1.1", "100.64.0.1", "100.100.100.200", "169.254.169.254", "168.63.129.16", "192.0.0.192",
            "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1",
            "255.255.255.255",
            "::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0:127.0.0.1",
            "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2002:a9fe:a9fe::1",
            "2002:c0a8:101::1", "2001::1", "2001:2::1", "2001:db8::1", "3fff::1", "fc00::1", "fd00:ec2::254",
            "fe80::1", "febf::1", "fec0::1", "ff02::1", "100::1", "4000::1", "8000::1",
        ])
    func refused(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(throws: AddressRefusal.self) { try AddressRules.publicOnly.check(address, host: "receiver.example") }
    }

    @Test(
        "The address of a public host passes",
        arguments: [
            "8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "169.253.255.255",
            "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
            "2002:808:808::1", "2001:4860:4860::8888", "2606:4700::1111", "2a00:1450::1",
        ])
    func passes(text: String) throws {
        try AddressRules.publicOnly.check(#require(IPAddress(text)), host: "receiver.example")
    }

    @Test("The server's setting allows networks, and all addresses of a name for that name")
    func allowed() throws {
        let rules = try AddressRules("127.0.0.1/32, fd00::/8,Receiver.internal ,10.1.2.3")
        let loopback = try #require(IPAddress("127.0.0.1"))
        try rules.check(loopback, host: "any.example")
        try rules.check(#require(IPAddress("fd12::1")), host: "any.example")
        try rules.check(#require(IPAddress("10.1.2.3")), host: "any.example")
        let inner = try #require(IPAddress("10.9.9.9"))
        try rules.check(inner, host: "receiver.internal")
        try rules.check(inner, host: "RECEIVER.internal.")
        for host in ["any.example", "a.receiver.internal", "receiver.internal.example"] {
            #expect(throws: AddressRefusal.self) { try rules.check(inner, host: host) }
        }
        #expect(throws: AddressRefusal.self) {
            try rules.check(#require(IPAddress("127.0.0.2")), host: "any.example")
        }
    }

    @Test("A refusal says the address, its kind and the setting")
    func words() throws {
        let address = try #require(IPAddress("64:ff9b::a9fe:a9fe"))
        let refusal = try #require(throws: AddressRefusal.self) {
            try AddressRules.publicOnly.check(address, host: "receiver.example")
        }
        #expect(
            refusal.description == """
                the address 64:ff9b::a9fe:a9fe is the form of 169.254.169.254 in IPv6, which is link-local, as cloud \
                metadata is, and FORWARD_ALLOW_ADDRESSES does not allow it
                """)
    }

    @Test(
        "An entry that is no name, address or network is refused with its rule",
        arguments: [
            ("10.0.0.1/8", #""10.0.0.1/8" has bits behind its prefix; the network is 10.0.0.0/8"#),
            ("127.0.0.1,", #""" is no host name, address or network"#),
            ("0x7f.1", #""0x7f.1" is no host name, address or network"#),
            ("2130706433", #""2130706433" is no host name, address or network"#),
            ("http://a", #""http://a" is no address and no network"#),
            ("10.0.0.0/33", #""10.0.0.0/33" must have a prefix length from 0 to 32"#),
        ])
    func wrongEntries(text: String, words: String) throws {
        let error = try #require(throws: AddressRulesError.self) { try AddressRules(text) }
        #expect(error.description == words)
    }

    @Test("An empty setting allows public addresses only")
    func empty() throws {
        #expect(try AddressRules("") == .publicOnly)
        #expect(try AddressRules("  ") == .publicOnly)
    }
}
