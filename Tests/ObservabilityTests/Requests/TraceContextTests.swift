import Instrumentation
import Testing

@testable import Observability

@Suite("W3C trace context")
struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"

    private struct Headers: Extractor, Injector {
        func extract(key: String, from headers: [String: String]) -> String? { headers[key] }
        func inject(_ value: String, forKey key: String, into headers: inout [String: String]) { headers[key] = value }
    }

    @Test(
        "The parts of a well-formed header are read, also of a later version with more parts",
        arguments: ["00-\(trace)-\(span)-01", "00-\(trace)-\(span)-00", "cc-\(trace)-\(span)-01-what-comes"])
    func read(_ text: String) throws {
        let context = try #require(TraceContext(traceparent: text))
        #expect(context.traceID == Self.trace && context.spanID == Self.span)
    }

    @Test(
        "What the standard calls invalid is refused",
        arguments: [
            "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-01-more", "ff-\(trace)-\(span)-01",
            "0-\(trace)-\(span)-01", "00-\(trace.uppercased())-\(span)-01", "00-\(trace)0-\(span)-01",
            "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
            "00-\(trace)-\(span)-1",
            "00-\(trace)-\(span)-0x", " 00-\(trace)-\(span)-01", "00-\(trace)-\(span)-01 ",
        ])
    func refused(_ text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }

    @Test("The instrument takes the header in, and passes it on as it came")
    func instrument() {
        let instrument = TraceContextInstrument()
        let header = "00-\(Self.trace)-\(Self.span)-01"
        for (given, passed) in [(["traceparent": header], [header]), (["traceparent": "00-x"], []), ([:], [])] {
            var context = InstrumentationContext.topLevel
            instrument.extract(given, into: &context, using: Headers())
            var headers: [String: String] = [:]
            instrument.inject(context, into: &headers, using: Headers())
            #expect(Array(headers.values) == passed)
        }
    }
}
