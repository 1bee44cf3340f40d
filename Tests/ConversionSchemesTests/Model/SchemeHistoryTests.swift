import AdAttribution
import ConversionSchemes
import Testing

@Suite("The schemes of one app, one after the other")
struct SchemeHistoryTests {
    private func scheme(_ from: String, _ to: String? = nil, _ name: String = "a") throws -> ConversionScheme {
        let end = to.map { ", \"valid-to\": \"\($0)T00:00:00Z\"" } ?? ""
        let text = "{\"app-id\": 1, \"name\": \"\(name)\", \"valid-from\": \"\(from)T00:00:00Z\"\(end)}"
        return try SchemeFile.read(Array(text.utf8))
    }

    /// The validities after these schemes were added.
    private func validities(_ schemes: ConversionScheme...) throws -> [String] {
        var history = SchemeHistory()
        for scheme in schemes { _ = try history.add(scheme, digest: scheme.file) }
        return history.entries.map {
            "\($0.validity.from.text.prefix(10)) \($0.validity.to?.text.prefix(10) ?? "open")"
        }
    }

    @Test("An open scheme is closed by its successor, in whichever order they are added")
    func closed() throws {
        let (first, second) = (try scheme("2026-01-01"), try scheme("2026-03-01"))
        #expect(try validities(first, second) == ["2026-01-01 2026-03-01", "2026-03-01 open"])
        #expect(try validities(second, first) == ["2026-01-01 2026-03-01", "2026-03-01 open"])
        var history = SchemeHistory()
        _ = try history.add(first, digest: [1])
        #expect(
            try history.add(second, digest: [2]) == .added(second.validity, closes: first.validity.from))
        #expect(try history.add(second, digest: [2]) == .unchanged)
        #expect(try history.add(first, digest: [1]) == .unchanged)
    }

    @Test("Schemes may leave a gap, and may touch")
    func gap() throws {
        #expect(
            try validities(scheme("2026-01-01", "2026-02-01"), scheme("2026-03-01"), scheme("2026-02-01", "2026-02-10"))
                == ["2026-01-01 2026-02-01", "2026-02-01 2026-02-10", "2026-03-01 open"])
    }

    @Test("Validities that overlap are refused with both")
    func overlap() throws {
        let error = #expect(throws: SchemeOverlap.self) {
            try validities(scheme("2026-01-01", "2026-03-01"), scheme("2026-02-01"))
        }
        #expect(
            error?.description
                == "app 1: valid-from, valid-to: the validity from 2026-02-01T00:00:00Z on overlaps that of the scheme "
                + "from 2026-01-01T00:00:00Z to 2026-03-01T00:00:00Z")
        #expect(throws: SchemeOverlap.self) {
            try validities(scheme("2026-02-01"), scheme("2026-01-01", "2026-03-01"))
        }
        // The first one was closed by the second, so a third in between would change what it says.
        #expect(throws: SchemeOverlap.self) {
            try validities(scheme("2026-01-01"), scheme("2026-03-01"), scheme("2026-02-01"))
        }
    }

    @Test("Another file with the same beginning replaces the scheme, and keeps to its successor")
    func replaced() throws {
        #expect(
            try validities(scheme("2026-01-01"), scheme("2026-03-01"), scheme("2026-01-01", nil, "b")) == [
                "2026-01-01 2026-03-01", "2026-03-01 open",
            ])
        #expect(throws: SchemeOverlap.self) {
            try validities(scheme("2026-01-01"), scheme("2026-03-01"), scheme("2026-01-01", "2026-04-01", "b"))
        }
    }
}
