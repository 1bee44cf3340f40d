import Instrumentation
package import Logging
import Synchronization

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

/// The name of one request, for the log and the answer.
package struct RequestID: Sendable, Hashable, CustomStringConvertible {
    /// The header that has it, in requests and in answers.
    package static let header = "X-Request-ID"
    /// The greatest number of characters.
    package static let greatestLength = 128

    // One of ours is made into text only where somebody reads it.
    private enum Origin: Sendable {
        case given(String)
        case own(number: UInt64)
    }

    private let origin: Origin

    /// Two ids are one if their texts are.
    package static func == (left: RequestID, right: RequestID) -> Bool { left.description == right.description }

    package func hash(into hasher: inout Hasher) { hasher.combine(description) }

    /// The id as text.
    package var description: String {
        switch origin {
        case .given(let text): text
        case .own(let number): Self.process + String(number, radix: 16)
        }
    }

    /// Takes the id that somebody else gave a request.
    ///
    /// - Returns: nil unless it has 1 to `greatestLength` letters, digits, `.`, `_`, `:` and `-` of ASCII.
    package init?(_ text: String) {
        guard (1...Self.greatestLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else {
            return nil
        }
        origin = .given(text)
    }

    /// Makes an id that no other request of this server has, and as good as surely none of another one: a random number
    /// of the process, and the request's own number, both hexadecimal.
    package init() {
        origin = .own(number: Self.requests.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// The header as a line of an answer, with its end.
    package var headerLine: [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(64)
        switch origin {
        case .given(let text):
            line += "\(Self.header): \(text)".utf8
        case .own(let number):
            line += Self.beginningOfLine
            line += String(number, radix: 16).utf8
        }
        line += "\r\n".utf8
        return line
    }

    private static let process = String(UInt64.random(in: (1 << 63)...UInt64.max), radix: 16) + "-"
    private static let beginningOfLine = Array("\(header): \(process)".utf8)
    private static let requests = Atomic<UInt64>(0)

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
