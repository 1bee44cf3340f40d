import TestSupport
import Testing

/// Real server processes, a real PostgreSQL, real sockets, real signatures: postbacks, files, settings and clusters.
///
/// One after another, since each wants both cores.
@Suite(
    "PostbackServer: what comes in", .serialized, .withoutWaiting,
    .enabled(if: TestEnvironment.hasPrograms, TestEnvironment.reason))
enum ServerTests {}

/// The same for the admin listener, reports and exports, beside the others.
@Suite(
    "PostbackServer: what it answers", .serialized, .withoutWaiting,
    .enabled(if: TestEnvironment.hasPrograms, TestEnvironment.reason))
enum ServerReportTests {}

/// The same for the page, beside the others.
@Suite(
    "PostbackServer: the page", .serialized, .withoutWaiting,
    .enabled(if: TestEnvironment.hasPrograms, TestEnvironment.reason))
enum ServerPageTests {}
