/// Why a connection was closed before its first request could come.
package enum OpeningFailure: Sendable, Hashable, CaseIterable {
    /// The peer is not a proxy that is trusted.
    case untrustedProxy
    /// The first bytes are not a header of the PROXY protocol.
    case malformedProxyHeader
    /// The header of the PROXY protocol did not come in time.
    case slowProxyHeader
    /// The client and the server agree on no TLS, or the client's bytes are not TLS.
    case refusedHandshake
    /// The client closed the connection before the TLS handshake was complete.
    case abandonedHandshake
    /// The TLS handshake was not complete in time.
    case slowHandshake
}
