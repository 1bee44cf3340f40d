package import Logging
import StrictJSON

/// A log handler that writes one line of text for each event, for somebody who reads along.
///
///     2026-01-31T23:59:59.999Z info ingest: message key=value other="a value with spaces"
///
/// If the event has an error, `error` is the first key; the others are sorted. A text that could be mistaken for
/// something else (spaces, quotes, `=`, control characters) is written as a JSON string. So each event is one line, and
/// nothing in it controls a terminal.
package struct TextLogHandler: LogHandler {
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
    ///   - label: The logger's name.
    ///   - sink: Writes the lines, for example `FileDescriptorSink().write`.
    ///   - level: The level below which nothing is logged.
    ///   - metadataProvider: Metadata from the context.
    ///   - maximumLineLength: In bytes, newline included. A longer line is cut and ends with `…`.
    ///   - now: The clock, in milliseconds since 1970.
    package init(
        label: String,
        sink: @escaping LogSink,
        level: Logger.Level = .info,
        metadataProvider: Logger.MetadataProvider? = nil,
        maximumLineLength: Int = 16 * 1024,
        now: @escaping @Sendable () -> Int64 = SystemClock.milliseconds
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
        let message = event.message.description
        var line = "\(LogTimestamp(milliseconds: now()).rfc3339) \(event.level.rawValue) \(label): "
        line += message.contains(where: \.isControlling) ? JSONText.quoted(message) : message
        if let error = event.error { line += " error=\(Self.value(String(describing: error)))" }
        for (key, value) in merged(with: event.metadata).sorted(by: { $0.key < $1.key }) {
            line += " \(Self.value(key))=\(Self.value(value.description))"
        }
        sink(Array("\(cut(line))\n".utf8))
    }

    private static func value(_ text: String) -> String {
        text.isEmpty || text.contains { $0.isControlling || " =\"\\".contains($0) } ? JSONText.quoted(text) : text
    }

    private func cut(_ line: String) -> String {
        guard line.utf8.count >= maximumLineLength else { return line }
        var length = 0
        let mark = "…"
        let kept = line.prefix { character in
            length += character.utf8.count
            return length + mark.utf8.count < maximumLineLength
        }
        return kept + mark
    }
}

extension Character {
    /// Whether a terminal or a reader of lines would obey it.
    fileprivate var isControlling: Bool { unicodeScalars.contains(where: JSONText.isControlling) }
}
