import Testing

@testable import adsign

@Suite("The summary of deliveries")
struct DeliverySummaryTests {
    @Test("Answers are listed by status, most frequent first, with times that are at most 5 % too long")
    func lines() {
        var summary = DeliverySummary()
        for milliseconds in 1...100 { summary.add(.status(200), seconds: Double(milliseconds) / 1_000) }
        summary.add(.none("closed"), seconds: 3)
        summary.add(.status(503), seconds: 0.5)
        summary.add(.status(503), seconds: 0.5)
        #expect(summary.count == 103)
        #expect(summary.accepted == 100)
        #expect(summary.answered == 102)
        let lines = summary.lines
        #expect(lines[1] == "503: 2, p50 500.0 ms, p99 500.0 ms, longest 500.0 ms")
        #expect(lines[2] == "no answer: closed: 1, p50 3000.0 ms, p99 3000.0 ms, longest 3000.0 ms")
        let numbers = lines[0].split(separator: " ").compactMap { Double($0) }
        #expect(lines[0].hasPrefix("200: 100, p50 "))
        #expect((50...52.5).contains(numbers[0]))
        #expect((99...100).contains(numbers[1]))
        #expect(numbers[2] == 100)
    }

    @Test("Memory is bounded: of many reasons the later ones count as one")
    func manyReasons() {
        var summary = DeliverySummary()
        for number in 0..<1_000 { summary.add(.none("reason \(number)"), seconds: 0) }
        #expect(summary.lines.count == 51)
        #expect(summary.lines.first?.hasPrefix("no answer: other problems: 950") == true)
    }

    @Test(
        "A URL is a host, a port and a path; everything else is refused",
        arguments: [
            ("https://example.com", "example.com 443 / example.com"),
            ("http://example.com:8080/a/b?c=d%20e", "example.com 8080 /a/b?c=d%20e example.com:8080"),
            ("https://[::1]:9/x", "::1 9 /x [::1]:9"), ("ftp://example.com", nil), ("example.com", nil),
            ("https://", nil),
            ("https://user@example.com/", nil), ("https://example.com/#part", nil), ("https://example.com/a b", nil),
            ("https://example.com:0/", nil), ("https://example.com:70000/", nil),
        ] as [(String, String?)])
    func targets(text: String, parts: String?) {
        let target = HTTPTarget(text)
        #expect(target.map { "\($0.host) \($0.port) \($0.path) \($0.authority)" } == parts)
    }
}
