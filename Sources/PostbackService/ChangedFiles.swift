import AdminAPI
import AuditTrail
import BackgroundWork
import ServiceLifecycle

/// Reads the key ring, the tokens and the certificate again after a file of theirs has changed.
struct ChangedFiles: Service {
    let files: ServerFiles
    var interval: Duration = .seconds(10)

    func run() async throws {
        await Repetition.run(every: interval, isAtOnce: false) {
            await files.reload(onlyIfChanged: true, by: .unknown(from: "changed files"))
        }
    }
}
