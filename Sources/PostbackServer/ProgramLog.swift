import Logging
import Observability

/// The program's log: one line an event on stderr, JSON unless `LOG_FORMAT=text`.
enum ProgramLog {
    static func makeLogger(_ settings: Settings) -> Logger {
        let sink = FileDescriptorSink()
        switch settings.logFormat {
        case .json:
            LoggingSystem.bootstrap(
                { JSONLogHandler(label: $0, sink: sink.write, level: settings.logLevel, metadataProvider: $1) },
                metadataProvider: nil)
        case .text:
            LoggingSystem.bootstrap { label in
                var handler = StreamLogHandler.standardError(label: label)
                handler.logLevel = settings.logLevel
                return handler
            }
        }
        return Logger(label: "adattribution")
    }
}
