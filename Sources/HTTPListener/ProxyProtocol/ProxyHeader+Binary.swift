import NIOCore

/// Version 2: a signature of 12 bytes, then command, family and length, then addresses and anything else.
extension ProxyHeader {
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    /// Signature, command, family and length.
    private static let fixedLength = 16

    static func readBinary(from bytes: inout ByteBuffer) throws(ProxyHeaderError) -> ProxyHeader? {
        guard bytes.readableBytesView.prefix(signature.count).elementsEqual(signature.prefix(bytes.readableBytes))
        else { throw ProxyHeaderError("must begin with the signature of version 1 or 2") }
        var rest = bytes
        rest.moveReaderIndex(forwardBy: min(signature.count, rest.readableBytes))
        guard let command = rest.readInteger(as: UInt8.self) else { return nil }
        guard command == 0x20 || command == 0x21 else { throw ProxyHeaderError("has an unknown version or command") }
        guard let family = rest.readInteger(as: UInt8.self) else { return nil }
        let isLocal = command == 0x20
        guard let minimumLength = isLocal ? 0 : addressLengths[family] else {
            throw ProxyHeaderError("must name a family of stream sockets")
        }
        guard let length = rest.readInteger(as: UInt16.self).map(Int.init) else { return nil }
        guard length >= minimumLength else { throw ProxyHeaderError("is too short for its addresses") }
        guard length <= maximumLength - fixedLength else {
            throw ProxyHeaderError("must have at most \(maximumLength) bytes")
        }
        guard var addresses = rest.readSlice(length: length) else { return nil }
        bytes = rest
        // More may follow the addresses. It tells of certificates and the like, and is not needed.
        guard !isLocal, let size = sourceLengths[family] else { return ProxyHeader(source: nil) }
        return ProxyHeader(source: source(in: &addresses, size: size))
    }

    /// The bytes of both addresses and both ports, by family: none, IPv4, IPv6, and Unix-domain sockets, whose
    /// addresses are not read.
    private static let addressLengths: [UInt8: Int] = [0x00: 0, 0x11: 12, 0x21: 36, 0x31: 216]
    /// The bytes of one address.
    private static let sourceLengths: [UInt8: Int] = [0x11: 4, 0x21: 16]

    private static func source(in addresses: inout ByteBuffer, size: Int) -> SocketAddress? {
        guard let source = addresses.readSlice(length: size), addresses.readSlice(length: size) != nil,
            let port = addresses.readInteger(as: UInt16.self)
        else { return nil }
        return try? SocketAddress(packedIPAddress: source, port: Int(port))
    }
}
