import TestSupport
import Testing

/// Real server processes, a real PostgreSQL, real sockets, real signatures; one after another, since each wants both
/// cores.
@Suite("PostbackServer", .serialized, .enabled(if: TestEnvironment.hasPrograms, TestEnvironment.reason))
enum ServerTests {}
