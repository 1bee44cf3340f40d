import AdminAPI
import BackgroundWork
import ServiceLifecycle

/// Reads the key ring and the certificate again after a file of theirs has changed.
struct ChangedFiles: Service {
    let files: ServerFiles
    var interval: Duration = .seconds(60)

    func run() async throws {
        await Repetition.run(every: interval, isAtOnce: false) { files.reload(onlyIfChanged: true) }
    }
}
