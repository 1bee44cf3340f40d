import AsyncHTTPClient
import Destinations
import NIOCore
import NIOSSL

extension HTTPClient.Configuration {
    /// Certificates are verified, redirects are not followed, and the schedule of the destination alone tries again.
    ///
    /// - Throws: That the destination's authority is none.
    init(_ destination: Destination) throws(DeliveryFailure) {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let authority = destination.certificateAuthority {
            guard let certificates = try? NIOSSLCertificate.fromPEMBytes(Array(authority.utf8)), !certificates.isEmpty
            else { throw DeliveryFailure(reason: "certificate-authority is no certificate in PEM") }
            tls.trustRoots = .certificates(certificates)
        }
        self.init(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(
                connect: TimeAmount(min(destination.limits.timeout, .seconds(10)))),
            decompression: .disabled)
        // A receiver often closes connections that were idle for a minute.
        connectionPool.idleTimeout = .seconds(30)
        connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = destination.limits.inFlight
        connectionPool.retryConnectionEstablishment = false
        // The span of a request would hold the URL, and that may hold a secret.
        tracing.tracer = nil
    }
}
