import NIOCore
import TestSupport
import Testing

@testable import HTTPListener

@Suite("The header of the PROXY protocol")
struct ProxyHeaderTests {
    /// The signature of version 2.
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]
    private static let ipv4: [UInt8] = [203, 0, 113, 7, 198, 51, 100, 1, 0xDC, 0x04, 0x01, 0xBB]
    private static let ipv6: [UInt8] =
        [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [0x17] + [UInt8](repeating: 1, count: 16)
        + [0xDC, 0x04, 0x01, 0xBB]

    /// A header of version 2.
    private static func binary(_ command: UInt8, _ family: UInt8, _ rest: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? rest.count
        return signature + [command, family, UInt8(length >> 8), UInt8(length & 0xFF)] + rest
    }

    private static let good: [[UInt8]] = [
        Array("PROXY TCP4 203.0.113.7 198.51.100.1 56324 443\r\n".utf8),
        Array("PROXY TCP6 2001:db8::17 101:101:101:101:101:101:101:101 56324 443\r\n".utf8),
        Array("PROXY UNKNOWN\r\n".utf8),
        binary(0x21, 0x11, ipv4), binary(0x21, 0x21, ipv6), binary(0x20, 0x00, []),
        binary(0x21, 0x11, ipv4 + [0x04, 0x00, 0x02, 0xFF, 0xFF]),
    ]

    /// Reads the header at the front, and returns its source and what is left.
    private func read(_ bytes: [UInt8]) throws(ProxyHeaderError) -> (header: ProxyHeader?, rest: [UInt8]) {
        var buffer = ByteBuffer(bytes: bytes)
        let header = try ProxyHeader.read(from: &buffer)
        return (header, Array(buffer.readableBytesView))
    }

    private func source(_ bytes: [UInt8]) throws -> String? {
        try #require(try read(bytes).header).source.map { "\($0.ipAddress ?? "-") \($0.port ?? -1)" }
    }

    @Test("The source of version 1 is its first address and port")
    func text() throws {
        #expect(try source(Self.good[0]) == "203.0.113.7 56324")
        #expect(try source(Self.good[1]) == "2001:db8::17 56324")
        #expect(try source(Array("PROXY TCP6 ::ffff:203.0.113.7 ::1 0 65535\r\n".utf8)) == "::ffff:203.0.113.7 0")
        #expect(try source(Self.good[2]) == nil)
        let longest = "PROXY UNKNOWN " + String(repeating: "f", count: 91) + "\r\n"
        #expect(longest.utf8.count == 107)
        #expect(try source(Array(longest.utf8)) == nil)
    }

    @Test("The source of version 2 is its first address and port, and what follows the addresses is skipped")
    func binary() throws {
        #expect(try source(Self.good[3]) == "203.0.113.7 56324")
        #expect(try source(Self.good[4]) == "2001:db8::17 56324")
        #expect(try source(Self.good[6]) == "203.0.113.7 56324")
        let padding = [UInt8](repeating: 0xFF, count: ProxyHeader.maximumLength - 16 - Self.ipv4.count)
        #expect(try source(Self.binary(0x21, 0x11, Self.ipv4 + padding)) == "203.0.113.7 56324")
    }

    @Test("A connection of the proxy itself, and one without an address, keep the address of the socket")
    func noSource() throws {
        #expect(try source(Self.binary(0x20, 0x11, Self.ipv4)) == nil)
        #expect(try source(Self.binary(0x20, 0x00, [])) == nil)
        #expect(try source(Self.binary(0x21, 0x00, [1, 2, 3])) == nil)
        #expect(try source(Self.binary(0x21, 0x31, [UInt8](repeating: 0, count: 216))) == nil)
    }

    @Test("Every prefix of a header is incomplete, and every byte behind it stays", arguments: good)
    func pieces(bytes: [UInt8]) throws {
        for count in 0..<bytes.count {
            let prefix = Array(bytes.prefix(count))
            let (header, rest) = try read(prefix)
            #expect(header == nil)
            #expect(rest == prefix)
        }
        let (header, rest) = try read(bytes + Array("GET /".utf8))
        #expect(header != nil)
        #expect(rest == Array("GET /".utf8))
    }

    @Test(
        "A line that breaks a rule of version 1 is refused",
        arguments: [
            "GET / HTTP/1.1\r\n", "PROXYTCP4", "PROXX ", "PROXY  TCP4 1.2.3.4 1.2.3.4 1 2\r\n",
            "PROXY TCP5 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY tcp4 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\rX", "PROXY \r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 \r\n", "PROXY TCP4 1.2.3.4  1.2.3.4 1 2\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 65536 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 01 2\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 +1 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 -2\r\n",
            "PROXY TCP4 1.2.3 1.2.3.4 1 2\r\n", "PROXY TCP4 1.2.3.256 1.2.3.4 1 2\r\n",
            "PROXY TCP4 01.2.3.4 1.2.3.4 1 2\r\n", "PROXY TCP4 ::1 ::1 1 2\r\n", "PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n",
            "PROXY TCP6 ::1 1.2.3.4 1 2\r\n", "PROXY TCP6 ::1%lo ::1 1 2\r\n", "PROXY TCP4 1.2.3.4\0 1.2.3.4 1 2\r\n",
            "PROXY TCP4 host.example 1.2.3.4 1 2\r\n", "PROXY UNKNOWN " + String(repeating: "f", count: 92) + "\r\n",
            "PROXY TCP4 " + String(repeating: "1", count: 200),
        ])
    func malformedText(line: String) throws {
        #expect(throws: ProxyHeaderError.self) { try read(Array(line.utf8)) }
    }

    @Test("A header that breaks a rule of version 2 is refused")
    func malformedBinary() throws {
        for command: UInt8 in [0x00, 0x11, 0x22, 0x2F, 0x31, 0xFF] {
            #expect(throws: ProxyHeaderError.self) { try read(Self.binary(command, 0x11, Self.ipv4)) }
        }
        for family: UInt8 in [0x01, 0x10, 0x12, 0x13, 0x22, 0x32, 0x41, 0xFF] {
            #expect(throws: ProxyHeaderError.self) { try read(Self.binary(0x21, family, Self.ipv6)) }
        }
        #expect(throws: ProxyHeaderError.self) { try read(Self.binary(0x21, 0x11, [], length: 11)) }
        #expect(throws: ProxyHeaderError.self) { try read(Self.binary(0x21, 0x21, [], length: 35)) }
        #expect(throws: ProxyHeaderError.self) { try read(Self.binary(0x21, 0x31, [], length: 215)) }
        // The length alone is enough to refuse: nothing is collected.
        for length in [ProxyHeader.maximumLength - 15, 65_535] {
            #expect(throws: ProxyHeaderError.self) { try read(Self.binary(0x20, 0x00, [], length: length)) }
        }
    }

    @Test("A changed byte gives another header, asks for more or is refused, and never takes bytes without a header")
    func changes() throws {
        var headers = 0
        var refusals = 0
        var wrong: [[UInt8]] = []
        for bytes in Self.good {
            for index in bytes.indices {
                for value in UInt8.min...UInt8.max {
                    var changed = bytes
                    changed[index] = value
                    do throws(ProxyHeaderError) {
                        let (header, rest) = try read(changed)
                        if header == nil, rest != changed { wrong.append(changed) }
                        if header != nil { headers += 1 }
                    } catch {
                        refusals += 1
                    }
                }
            }
        }
        #expect(wrong == [])
        #expect(headers > 10_000 && refusals > 10_000)
    }

    @Test("Random bytes behind a good beginning never take more than the greatest length")
    func random() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<20_000 {
            let start = try #require(Self.good.randomElement(using: &generator))
            let kept = Int.random(in: 0...start.count, using: &generator)
            let tail = (0..<Int.random(in: 0...700, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            let bytes = Array(start.prefix(kept)) + tail
            guard let (header, rest) = try? read(bytes) else { continue }
            let taken = bytes.count - rest.count
            #expect(taken <= ProxyHeader.maximumLength)
            #expect((header == nil) == (taken == 0))
            #expect(header != nil || bytes.count < ProxyHeader.maximumLength)
        }
    }
}
