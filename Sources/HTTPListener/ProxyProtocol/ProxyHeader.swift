package import NIOCore

/// What a proxy says about a connection before its first byte, by version 1 or 2 of the PROXY protocol.
///
/// The rules are those of HAProxy's `proxy-protocol.txt`. Only what a proxy of TCP connections sends is accepted.
package struct ProxyHeader: Sendable, Equatable {
    /// The address and port of the client.
    ///
    /// Nil if the proxy opened the connection for itself (`LOCAL`), or if it knows no address (`UNKNOWN`, a
    /// Unix-domain socket). The address of the connection is the right one then.
    package let source: SocketAddress?

    /// The most bytes of a header.
    ///
    /// A header of 536 bytes fits into one segment of every TCP connection. Version 1 has at most 107 bytes.
    package static let maximumLength = 536

    /// Reads the header at the front of the bytes, and removes it from them.
    ///
    /// - Returns: Nil if more bytes are needed; the bytes are then unchanged.
    /// - Throws: `ProxyHeaderError` as soon as the bytes can't become a header.
    package static func read(from bytes: inout ByteBuffer) throws(ProxyHeaderError) -> ProxyHeader? {
        switch bytes.readableBytesView.first {
        case nil: nil
        case UInt8(ascii: "P"): try readText(from: &bytes)
        default: try readBinary(from: &bytes)
        }
    }
}

/// Why bytes are not a header of the PROXY protocol.
package struct ProxyHeaderError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The rule that was broken.
    ///
    /// It contains no byte of the client.
    package let description: String

    init(_ rule: String) {
        description = rule
    }
}
