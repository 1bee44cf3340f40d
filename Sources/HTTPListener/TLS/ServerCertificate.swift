package import Logging
import NIOSSL
import Synchronization

/// The certificate and key for new connections.
///
/// Both are read again while the server runs.
package final class ServerCertificate: Sendable {
    private struct State {
        var context: NIOSSLContext
        var stamps: [FileStamp?]
    }

    private let files: CertificateFiles
    private let state: Mutex<State>

    /// Reads certificate and key.
    package init(_ files: CertificateFiles) throws(CertificateFilesError) {
        self.files = files
        // A file that is written between the two is read again at the next check.
        let stamps = files.stamps
        state = Mutex(State(context: try files.load(), stamps: stamps))
    }

    /// What a new connection needs.
    var context: NIOSSLContext { state.withLock { $0.context } }

    /// Reads certificate and key again if a file has changed since it was read last.
    ///
    /// If the new pair can't be used, that is logged as an error, and the old pair stays.
    package func reloadIfChanged(logger: Logger) {
        let stamps = files.stamps
        let isNew = state.withLock { state in
            defer { state.stamps = stamps }
            return state.stamps != stamps
        }
        if isNew { reload(logger: logger) }
    }

    /// Reads certificate and key again.
    ///
    /// If the new pair can't be used, that is logged as an error, and the old pair stays.
    package func reload(logger: Logger) {
        do throws(CertificateFilesError) {
            let context = try files.load()
            state.withLock { $0.context = context }
            logger.info("TLS certificate read again", metadata: ["file": "\(files.certificatePath)"])
        } catch {
            logger.error("TLS certificate not replaced: the old one stays", metadata: ["error": "\(error)"])
        }
    }
}
