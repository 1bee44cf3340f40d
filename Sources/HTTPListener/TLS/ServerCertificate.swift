package import LocalFiles
import NIOSSL

/// The certificate and key for new connections.
///
/// Both are read again while the server runs.
package struct ServerCertificate: Sendable {
    private let files: FileBacked<LoadedCertificate>

    /// Reads certificate and key.
    ///
    /// - Throws: `CertificateFilesError`
    package init(_ files: CertificateFiles) throws {
        self.files = try FileBacked { try files.load(&$0) }
    }

    /// What a new connection needs.
    var context: NIOSSLContext { files.value.context }

    /// When it can't be used any more, in seconds since 1970.
    package var expiry: Int64 { files.value.expiry }

    /// What reads both again.
    package var reloading: any Reloadable { files }
}
