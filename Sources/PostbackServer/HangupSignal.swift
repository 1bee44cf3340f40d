import HTTPListener
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the certificate again on SIGHUP, which would otherwise end the process without draining.
struct HangupSignal: Service {
    let certificate: ServerCertificate?
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            logger.notice("SIGHUP")
            certificate?.reload(logger: logger)
        }
    }
}
