import Instrumentation
package import Logging

/// What tells one request from all others: its id, and the trace that it belongs to if there is one.
///
/// Both are taken from peers that are trusted. Anybody else could give many requests one id, or put them into the trace
/// of somebody else.
package struct RequestIdentity: Sendable {
    /// The id, which the answer has too.
    package let id: RequestID
    /// What instruments have read of the request; empty if its peer is not trusted.
    private let context: InstrumentationContext

    /// A request of a peer that is not trusted.
    package init() {
        id = RequestID()
        context = .topLevel
    }

    /// A request with these headers.
    ///
    /// An id that is not well formed, or there twice, is replaced by one of ours.
    ///
    /// - Parameters:
    ///   - isTrusted: Whether the peer is trusted; if not, no header is read.
    ///   - values: The values of a header.
    package init<Headers: Sendable>(
        of headers: Headers, isTrusted: Bool, values: @escaping @Sendable (Headers, String) -> [String]
    ) {
        guard isTrusted else {
            (id, context) = (RequestID(), .topLevel)
            return
        }
        let extractor = HeaderExtractor(values: values)
        id = extractor.extract(key: RequestID.header, from: headers).flatMap { RequestID($0) } ?? RequestID()
        var context = InstrumentationContext.topLevel
        InstrumentationSystem.instrument.extract(headers, into: &context, using: extractor)
        self.context = context
    }

    /// What lines of the log about this request have: `request_id`, and of a trace `trace_id` and `span_id`.
    package var metadata: Logger.Metadata { Self.metadata(of: scope) }

    /// Runs a body with the ids in each line of the log, also those of tasks that it makes.
    package func withScope<Result>(_ body: () throws -> Result) rethrows -> Result {
        try InstrumentationContext.withValue(scope, operation: body)
    }

    /// The same for a body that waits.
    package func withScope<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await InstrumentationContext.withValue(scope, isolation: isolation, operation: body)
    }

    /// The metadata of the request that is at work in the present task.
    package static let metadataProvider = Logger.MetadataProvider {
        InstrumentationContext.current.map { RequestIdentity.metadata(of: $0) } ?? [:]
    }

    private enum IDKey: InstrumentationContextKey {
        typealias Value = RequestID
    }

    private var scope: InstrumentationContext {
        var scope = context
        scope[IDKey.self] = id
        return scope
    }

    private static func metadata(of context: InstrumentationContext) -> Logger.Metadata {
        var metadata: Logger.Metadata = [:]
        if let id = context[IDKey.self] { metadata["request_id"] = "\(id)" }
        if let trace = context[TraceContext.Key.self] {
            metadata["trace_id"] = "\(trace.traceID)"
            metadata["span_id"] = "\(trace.spanID)"
        }
        return metadata
    }
}

/// Reads headers for instruments: one that is there once.
private struct HeaderExtractor<Headers: Sendable>: Extractor {
    let values: @Sendable (Headers, String) -> [String]

    func extract(key: String, from headers: Headers) -> String? {
        let values = values(headers, key)
        return values.count == 1 ? values[0] : nil
    }
}
