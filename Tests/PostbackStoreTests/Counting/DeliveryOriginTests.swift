import PostbackStore
import Testing

@Suite("The origin of a delivery")
struct DeliveryOriginTests {
    private func userAgent(_ text: String?) -> String? {
        DeliveryOrigin(address: nil, userAgent: text).userAgent
    }

    @Test("The address is the canonical text")
    func address() {
        #expect(DeliveryOrigin(address: IPAddress("::FFFF:192.0.2.1"), userAgent: nil).address == "192.0.2.1")
        #expect(DeliveryOrigin(address: IPAddress("2001:DB8::0"), userAgent: nil).address == "2001:db8::")
        #expect(DeliveryOrigin(address: nil, userAgent: nil) == .unknown)
    }

    @Test("An ordinary User-Agent stays as it is")
    func ordinary() {
        for text in ["CFNetwork/1410.0.3 Darwin/22.4.0", "x", "Größe 🦆/1", String(repeating: "a", count: 256)] {
            #expect(userAgent(text) == text)
        }
    }

    @Test("Control characters and invalid UTF-8 are removed")
    func removed() {
        #expect(userAgent("a\0b\tc\r\nd\u{1B}[31me\u{7F}f\u{80}g\u{9F}h") == "abcd[31mefgh")
        #expect(userAgent("\u{A0}a\u{A0}") == "\u{A0}a\u{A0}")
        #expect(userAgent(String(decoding: [0x61, 0xFF, 0xC3, 0x62, 0xED, 0xA0, 0x80], as: UTF8.self)) == "ab")
        for code in UInt32(0)..<0x100 {
            guard let scalar = Unicode.Scalar(code) else { continue }
            let isControl = scalar.properties.generalCategory == .control
            #expect(userAgent("a\(scalar)b") == (isControl ? "ab" : "a\(scalar)b"))
        }
    }

    @Test("An empty User-Agent counts as missing")
    func empty() {
        for text in [nil, "", " ", "   ", "\0", " \u{7F} \u{85} ", "\u{FFFD}"] {
            #expect(userAgent(text) == nil)
        }
        #expect(userAgent("  a b \u{1} ") == "a b")
    }

    @Test("A long User-Agent is cut to at most 256 bytes, between two characters")
    func long() {
        #expect(userAgent(String(repeating: "a", count: 257)) == String(repeating: "a", count: 256))
        #expect(userAgent(String(repeating: "a", count: 255) + "é") == String(repeating: "a", count: 255))
        #expect(userAgent(String(repeating: "🦆", count: 100)) == String(repeating: "🦆", count: 64))
        #expect(userAgent("a" + String(repeating: "🦆", count: 100)) == "a" + String(repeating: "🦆", count: 63))
        // The bound holds for what is kept: removed characters take no room.
        let hidden = String(repeating: "\u{1}", count: 5_000) + String(repeating: "b", count: 5_000)
        #expect(userAgent(hidden) == String(repeating: "b", count: 256))
        // One character to a reader, but ten thousand scalars.
        let marks = "a" + String(repeating: "\u{301}", count: 10_000)
        #expect(userAgent(marks)?.utf8.count == 255)
    }
}
