import Logging
import Observability
import ServerSettings
import StrictJSON

/// The program's log: one line an event on stderr, JSON unless `LOG_FORMAT=text`.
enum ProgramLog {
    /// Writes everything that the program tells on stderr, so that nothing waits for whoever reads it.
    static let sink = FileDescriptorSink()

    static func makeLogger(_ settings: Settings) -> Logger {
        switch settings.logFormat {
        case .json:
            LoggingSystem.bootstrap(
                { JSONLogHandler(label: $0, sink: sink.write, level: settings.logLevel, metadataProvider: $1) },
                metadataProvider: RequestIdentity.metadataProvider)
        case .text:
            LoggingSystem.bootstrap(
                { TextLogHandler(label: $0, sink: sink.write, level: settings.logLevel, metadataProvider: $1) },
                metadataProvider: RequestIdentity.metadataProvider)
        }
        return Logger(label: "adattribution")
    }

    /// Writes a line that is no event; nothing in it controls a terminal.
    static func write(_ line: String) {
        sink.write(Array("\(JSONText.printable(line))\n".utf8))
    }
}
