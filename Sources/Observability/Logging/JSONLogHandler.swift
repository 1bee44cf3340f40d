package import Logging
import StrictJSON

/// A log handler that writes one JSON object a line.
///
///     {"time":"2026-01-31T23:59:59.999Z","level":"info","logger":"ingest","message":"…","metadata":{"key":"value"}}
///
/// If the event has an error, `error` follows the message. A line that had to be cut ends with `truncated`. Metadata of
/// the handler, of the provider and of the event are merged in this order, and a later value replaces an earlier one.
/// Keys are sorted. Whatever the values are, the line is valid JSON without a newline in it, and no longer than the
/// limit.
package struct JSONLogHandler: LogHandler {
    /// The level below which nothing is logged.
    package var logLevel: Logger.Level
    /// Metadata of every line of this logger.
    package var metadata: Logger.Metadata = [:]
    /// Metadata from the context in which a line is logged.
    package var metadataProvider: Logger.MetadataProvider?

    private let label: String
    private let sink: LogSink
    private let now: @Sendable () -> Int64
    private let maximumLineLength: Int

    /// Makes the handler of a logger.
    /// - Parameters:
    ///   - label: The logger's name, shown as `logger`.
    ///   - sink: Writes the lines, for example `FileDescriptorSink().write`.
    ///   - level: The level below which nothing is logged.
    ///   - metadataProvider: Metadata from the context.
    ///   - maximumLineLength: In bytes, newline included. One string may have a fourth of it.
    package init(
        label: String,
        sink: @escaping LogSink,
        level: Logger.Level = .info,
        metadataProvider: Logger.MetadataProvider? = nil,
        maximumLineLength: Int = 16 * 1024
    ) {
        self.init(
            label: label, sink: sink, level: level, metadataProvider: metadataProvider,
            maximumLineLength: maximumLineLength, now: SystemClock.milliseconds)
    }

    /// The same with a given clock, in milliseconds since 1970.
    init(
        label: String,
        sink: @escaping LogSink,
        level: Logger.Level = .info,
        metadataProvider: Logger.MetadataProvider? = nil,
        maximumLineLength: Int = 16 * 1024,
        now: @escaping @Sendable () -> Int64
    ) {
        self.label = label
        self.sink = sink
        self.logLevel = level
        self.metadataProvider = metadataProvider
        self.maximumLineLength = maximumLineLength
        self.now = now
    }

    /// One value of this logger's metadata.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line.
    package func log(event: LogEvent) {
        var writer = JSONWriter(limit: maximumLineLength, stringLimit: maximumLineLength / 4)
        writer.object { line in
            line.member("time") { $0.string(LogTimestamp(milliseconds: now()).rfc3339) }
            line.member("level") { $0.string(event.level.rawValue) }
            line.member("logger") { $0.string(label) }
            line.member("message") { $0.string(event.message.description) }
            if let error = event.error {
                line.member("error") { $0.string(String(describing: error)) }
            }
            let merged = merged(with: event.metadata)
            if !merged.isEmpty {
                line.member("metadata") { $0.metadata(merged) }
            }
            line.truncationMark()
        }
        sink(writer.bytes + [UInt8(ascii: "\n")])
    }
}
