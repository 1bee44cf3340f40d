import BackgroundWork
import HTTPListener
import Logging
import ServiceLifecycle

/// Reads the certificate of the public listener again after its files have changed.
struct CertificateReader: Service {
    let certificate: ServerCertificate?
    let logger: Logger
    var interval: Duration = .seconds(60)

    func run() async throws {
        await Repetition.run(every: interval, isAtOnce: false) {
            certificate?.reloadIfChanged(logger: logger)
        }
    }
}
