import AdminAPI
import AuditTrail
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the key ring, the tokens and the certificate again on SIGHUP, which would otherwise end the process without
/// draining.
struct HangupSignal: Service {
    let files: ServerFiles
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            logger.notice("SIGHUP")
            // A signal does not say who sent it.
            await files.reload(onlyIfChanged: false, by: .unknown(from: "SIGHUP"))
        }
    }
}
