package import Instrumentation

/// Where a request belongs in a trace that others keep: the header `traceparent` of W3C Trace Context.
package struct TraceContext: Sendable, Hashable, CustomStringConvertible {
    /// The header that has it.
    package static let header = "traceparent"

    /// Where the context of a request has it.
    enum Key: InstrumentationContextKey {
        typealias Value = TraceContext
    }

    /// The trace: 32 hexadecimal digits, not all of them 0.
    package let traceID: String
    /// The span of whoever sent the request: 16 hexadecimal digits, not all of them 0.
    package let spanID: String
    /// Two hexadecimal digits: 01 if whoever sent the request records it.
    private let flags: String

    /// Reads the value of the header.
    ///
    /// Of a later version the parts that version 00 has are read, as the standard asks (section 4.1 of W3C Trace Context).
    ///
    /// - Returns: nil if it is not well formed.
    package init?(traceparent: String) {
        let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, Self.isHexadecimal(parts[0], 2), parts[0] != "ff",
            parts[0] != "00" || parts.count == 4,
            Self.isHexadecimal(parts[1], 32), parts[1].contains(where: { $0 != "0" }),
            Self.isHexadecimal(parts[2], 16), parts[2].contains(where: { $0 != "0" }),
            Self.isHexadecimal(parts[3], 2)
        else { return nil }
        (traceID, spanID, flags) = (String(parts[1]), String(parts[2]), String(parts[3]))
    }

    /// The header's value, of version 00.
    package var description: String { "00-\(traceID)-\(spanID)-\(flags)" }

    private static func isHexadecimal(_ text: Substring, _ length: Int) -> Bool {
        text.utf8.count == length
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}

/// Takes `traceparent` from requests, and passes it on: the instrument of swift-distributed-tracing for this server.
///
/// It makes no spans, and nothing is exported: the ids stand in the log, where a trace of others leads to them.
package struct TraceContextInstrument: Instrument {
    /// An instrument; it has no state.
    package init() {}

    /// Reads the header; one that is not well formed is as none.
    package func extract<Carrier, Extract>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract: Extractor, Extract.Carrier == Carrier {
        guard let text = extractor.extract(key: TraceContext.header, from: carrier) else { return }
        context[TraceContext.Key.self] = TraceContext(traceparent: text)
    }

    /// Writes the header as it came.
    package func inject<Carrier, Inject>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject: Injector, Inject.Carrier == Carrier {
        guard let trace = context[TraceContext.Key.self] else { return }
        injector.inject(trace.description, forKey: TraceContext.header, into: &carrier)
    }
}
