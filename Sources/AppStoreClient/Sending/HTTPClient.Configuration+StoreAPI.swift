import AsyncHTTPClient
import NIOCore
import NIOSSL

extension HTTPClient.Configuration {
    /// Certificates are verified, redirects are not followed, and `StoreAPIRetries` alone tries again.
    static func storeAPI(timeout: Duration) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: TimeAmount(min(timeout, .seconds(10)))),
            decompression: .disabled)
        configuration.connectionPool.idleTimeout = .seconds(30)
        configuration.connectionPool.retryConnectionEstablishment = false
        // The span of a request would hold the URL, and that holds ids of transactions.
        configuration.tracing.tracer = nil
        return configuration
    }
}
