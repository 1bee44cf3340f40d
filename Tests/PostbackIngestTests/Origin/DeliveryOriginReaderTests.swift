import NIOHTTP1
import PostbackStore
import Testing

@testable import PostbackIngest

/// Which address counts as the source.
///
/// The trusted proxies are 10.0.0.0/8 and 2001:db8::/32, and the peer is 10.0.0.1 if a test does not say otherwise.
@Suite("The source behind a proxy")
struct DeliveryOriginReaderTests {
    private func source(
        _ lines: [String], in header: String = "X-Forwarded-For", peer: String = "10.0.0.1",
        trusting proxies: String = "10.0.0.0/8, 2001:db8::/32"
    ) throws -> String? {
        let peer = try #require(IPAddress(peer))
        return try source(lines, in: header, peer: .address(peer), trusting: proxies)
    }

    private func source(
        _ lines: [String], in header: String, peer: ConnectionPeer, trusting proxies: String
    ) throws -> String? {
        let reader = DeliveryOriginReader.proxies(
            try TrustedProxies(proxies), try #require(ForwardedHeader(header)))
        let headers = HTTPHeaders(lines.map { (header, $0) })
        return reader.origin(of: peer, headers).address
    }

    // MARK: The walk

    @Test("The peer is the source if it is not a trusted proxy, whatever the header says")
    func untrustedPeer() throws {
        #expect(try source(["198.51.100.7"], peer: "203.0.113.5") == "203.0.113.5")
        #expect(try source(["for=198.51.100.7"], in: "Forwarded", peer: "203.0.113.5") == "203.0.113.5")
    }

    @Test("The peer is the source if the header is missing")
    func noHeader() throws {
        #expect(try source([]) == "10.0.0.1")
        #expect(try source([], peer: "203.0.113.5") == "203.0.113.5")
    }

    @Test("The first untrusted entry from the right is the source")
    func firstUntrusted() throws {
        #expect(try source(["198.51.100.7"]) == "198.51.100.7")
        #expect(try source(["198.51.100.7, 10.0.0.3, 2001:db8::1"]) == "198.51.100.7")
        #expect(try source(["198.51.100.7,10.0.0.3"], peer: "2001:db8::9") == "198.51.100.7")
    }

    @Test("Entries to the left of the source are not read, whatever they are")
    func spoofed() throws {
        for left in ["203.0.113.1", "10.0.0.9", "127.0.0.1", "unknown", "", "garbage", "\"", ", , ,"] {
            #expect(try source([left + ", 198.51.100.7"]) == "198.51.100.7")
            #expect(try source([left, "198.51.100.7, 10.0.0.3"]) == "198.51.100.7")
        }
    }

    @Test("All lines of the header count, in their order")
    func lines() throws {
        #expect(try source(["203.0.113.1", "198.51.100.7"]) == "198.51.100.7")
        #expect(try source(["203.0.113.1, 198.51.100.7", "10.0.0.4, 10.0.0.5", "10.0.0.6"]) == "198.51.100.7")
    }

    @Test("The last valid address is the source if every entry is a trusted proxy")
    func allTrusted() throws {
        #expect(try source(["10.0.0.2, 10.0.0.3"]) == "10.0.0.2")
    }

    @Test(
        "An entry that is not an address makes the last valid address to its right the source",
        arguments: ["", " ", "unknown", "_hidden", "garbage", "300.1.1.1", "198.51.100.7.1", "for=198.51.100.7"])
    func noAddress(entry: String) throws {
        #expect(try source(["198.51.100.7, \(entry)"]) == "10.0.0.1")
        #expect(try source(["198.51.100.7, \(entry), 10.0.0.3"]) == "10.0.0.3")
        #expect(try source(["198.51.100.7", entry, "10.0.0.3"]) == "10.0.0.3")
    }

    @Test("A client of a Unix-domain socket has no address, and is trusted only if `unix:` is listed")
    func unixSocket() throws {
        func source(_ lines: [String], _ proxies: String) throws -> String? {
            try self.source(lines, in: "X-Real-IP", peer: .unixSocket, trusting: proxies)
        }
        #expect(try source(["198.51.100.7"], "unix:") == "198.51.100.7")
        #expect(try source([], "unix:") == nil)
        #expect(try source(["unknown"], "unix:") == nil)
        #expect(try source(["198.51.100.7"], "0.0.0.0/0") == nil)
        #expect(try self.source(["198.51.100.7"], in: "X-Real-IP", peer: .unknown, trusting: "unix:") == nil)
    }

    @Test("Ten thousand entries are read, and the time grows only with their number")
    func many() throws {
        func list(_ count: Int, _ entry: String) -> String {
            "203.0.113.1, 198.51.100.7" + String(repeating: ", \(entry)", count: count)
        }
        #expect(try source([list(10_000, "10.0.0.3")]) == "198.51.100.7")
        #expect(try source(["198.51.100.7"] + Array(repeating: "10.0.0.3", count: 10_000)) == "198.51.100.7")
        // In quadratic time this would take many minutes.
        #expect(try source([list(50_000, "10.0.0.3")]) == "198.51.100.7")
        let elements = "for=198.51.100.7" + String(repeating: ", for=\"10.0.0.3\"", count: 50_000)
        #expect(try source([elements], in: "Forwarded") == "198.51.100.7")
        for text in ["\\", "\"", "\\\"", ",", ";", "=", "a=\"\\", "for="] {
            let junk = String(repeating: text, count: 100_000)
            #expect(try source([junk + ", for=10.0.0.3"], in: "Forwarded") == "10.0.0.3")
            #expect(try source([junk], in: "Forwarded") == "10.0.0.1")
        }
    }

    // MARK: Entries

    @Test(
        "An entry of a list is an address, perhaps with a port",
        arguments: [
            ("198.51.100.7:4711", "198.51.100.7"), ("198.51.100.7:0", "198.51.100.7"),
            ("\t198.51.100.7:65535 ", "198.51.100.7"), ("2001:db9::1", "2001:db9::1"),
            ("[2001:DB9:0::1]", "2001:db9::1"), ("[2001:db9::1]:4711", "2001:db9::1"),
            ("::ffff:198.51.100.7", "198.51.100.7"), ("[::ffff:198.51.100.7]:80", "198.51.100.7"),
        ])
    func listEntries(entry: String, address: String) throws {
        for header in ["X-Forwarded-For", "x-real-ip", "CF-Connecting-IP"] {
            #expect(try source([entry], in: header) == address)
            #expect(try source(["203.0.113.1, \(entry), 10.0.0.3"], in: header) == address)
        }
    }

    @Test(
        "An entry with a wrong port, wrong brackets or a zone is not an address",
        arguments: [
            "198.51.100.7:", "198.51.100.7:65536", "198.51.100.7:+80", "198.51.100.7:80:80", "198.51.100.7:x",
            "198.51.100.7:_", "198.51.100.7:_a b", "198.51.100.7:000080", "[198.51.100.7]", "[198.51.100.7]:80",
            "[2001:db9::1", "2001:db9::1]", "[2001:db9::1]80", "[2001:db9::1]:", "[]", "[]:80", "[:]", ":80", ":", "[",
            "fe80::1%eth0", "[fe80::1%25eth0]:80", "\"198.51.100.7\"",
        ])
    func wrongListEntries(entry: String) throws {
        #expect(try source([entry]) == "10.0.0.1")
    }

    @Test(
        "`for` of an element of Forwarded is the address (RFC 7239)",
        arguments: [
            ("for=198.51.100.7", "198.51.100.7"), ("For=198.51.100.7", "198.51.100.7"),
            ("FOR=\"198.51.100.7:4711\"", "198.51.100.7"), ("for=198.51.100.7:4711", "198.51.100.7"),
            ("for=\"[2001:db9::17]:4711\"", "2001:db9::17"), ("for=\"[2001:db9::17]\"", "2001:db9::17"),
            ("for=[2001:db9::17]", "2001:db9::17"), ("for=\"198.51.100.7:_port\"", "198.51.100.7"),
            ("for=198.51.100.7;proto=http;by=203.0.113.43", "198.51.100.7"),
            ("by=203.0.113.43;for=198.51.100.7;proto=http", "198.51.100.7"),
            ("proto=https; for=\"198.51.100.7\" ; host=a.example", "198.51.100.7"),
            (";;for=198.51.100.7;", "198.51.100.7"), ("for=\"198.\\51.100.7\"", "198.51.100.7"),
            ("by=\"a,b;for=203.0.113.1\";for=198.51.100.7", "198.51.100.7"),
            ("by=\"\\\",for=203.0.113.1\";for=198.51.100.7", "198.51.100.7"),
            ("by=\"\\\\\";for=198.51.100.7", "198.51.100.7"),
        ])
    func elements(element: String, address: String) throws {
        #expect(try source([element], in: "Forwarded") == address)
        #expect(try source([element + ", for=10.0.0.3"], in: "forwarded") == address)
        #expect(try source(["for=203.0.113.1," + element, "for=10.0.0.3"], in: "FORWARDED") == address)
    }

    @Test(
        "An element of Forwarded without an address makes the last valid address to its right the source",
        arguments: [
            "", "for=unknown", "for=Unknown", "for=_hidden", "for=\"_hidden:80\"", "for=", "for", "for=\"\"",
            "by=198.51.100.7", "proto=https", "198.51.100.7", "for=198.51.100.7;for=198.51.100.7",
            "for=198.51.100.7;by",
            "for=\"198.51.100.7\"x", "for=x\"198.51.100.7\"", "fort=198.51.100.7", "for=\"198.51.100.7",
            "for=198.51.100.7\"", "for=\"198.51.100.7\\\"",
        ])
    func elementsWithoutAddress(element: String) throws {
        #expect(try source(["for=203.0.113.1," + element], in: "Forwarded") == "10.0.0.1")
        #expect(try source([element, "for=10.0.0.3"], in: "Forwarded") == "10.0.0.3")
    }

    @Test(
        "No quote or backslash of a client changes how the next element is read",
        arguments: ["for=\"", "for=\"203.0.113.1", "x=\"\\", "\"", "\\", "for=203.0.113.1;x=\"", "\",\"", "=\"\\\""])
    func openQuotes(left: String) throws {
        for right in ["for=198.51.100.7", "for=\"198.51.100.7:80\"", "by=\"a,b\";for=\"198.51.100.7\""] {
            #expect(try source(["\(left), \(right)"], in: "Forwarded") == "198.51.100.7")
            #expect(try source(["\(left),\(right), for=\"10.0.0.3\""], in: "Forwarded") == "198.51.100.7")
        }
    }

    @Test("Only a name that HTTP allows is the name of a header")
    func names() {
        for name in ["", " ", "X Forwarded", "X-Forwarded-For:", "a,b", "é", ":path", "X\r\nY"] {
            #expect(ForwardedHeader(name) == nil)
        }
        #expect(ForwardedHeader("x-FORWARDED-for")?.text == "x-FORWARDED-for")
    }

    // MARK: What is kept

    @Test("The first User-Agent is kept with the address; RECEIVED_FROM=off keeps neither")
    func userAgent() throws {
        let peer = ConnectionPeer.address(try #require(IPAddress("192.0.2.1")))
        let headers: HTTPHeaders = ["User-Agent": "Phone/1"]
        #expect(
            DeliveryOriginReader.connection.origin(of: peer, headers)
                == DeliveryOrigin(address: IPAddress("192.0.2.1"), userAgent: "Phone/1"))
        #expect(DeliveryOriginReader.connection.origin(of: peer, [:]).userAgent == nil)
        #expect(DeliveryOriginReader.off.origin(of: peer, headers) == .unknown)
    }
}
