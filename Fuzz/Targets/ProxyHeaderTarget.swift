import HTTPListener
import NIOCore

/// Bytes at the beginning of a connection, to the reader of the PROXY protocol's header.
///
/// A header must not depend on the pieces in which it comes: what was read or refused once stays so, whatever follows.
package struct ProxyHeaderTarget: FuzzTarget {
    package static let name = "proxy"

    private enum Reading: Equatable {
        case incomplete
        case refused
        case header(ProxyHeader, length: Int)
    }

    package init() {}

    package func check(_ input: [UInt8]) throws {
        let input = Array(input.prefix(2 * ProxyHeader.maximumLength))
        var last = Reading.incomplete
        for count in 0...input.count {
            let reading = try read(Array(input.prefix(count)))
            try expect(last == .incomplete || reading == last, "after \(count) bytes \(last) becomes \(reading)")
            last = reading
        }
        try expect(
            last != .incomplete || input.count < ProxyHeader.maximumLength, "\(input.count) bytes are not enough")
        if case .header(let header, let length) = last { try agree(header, Array(input.prefix(length))) }
    }

    private func read(_ bytes: [UInt8]) throws -> Reading {
        var buffer = ByteBuffer(bytes: bytes)
        let header: ProxyHeader?
        do throws(ProxyHeaderError) {
            header = try ProxyHeader.read(from: &buffer)
        } catch {
            return .refused
        }
        let length = bytes.count - buffer.readableBytes
        try expect(buffer.readableBytesView.elementsEqual(bytes.dropFirst(length)), "other bytes are left")
        try expect((header == nil) == (length == 0), "\(length) bytes were taken")
        return header.map { .header($0, length: length) } ?? .incomplete
    }

    /// A source is written in the header.
    private func agree(_ header: ProxyHeader, _ bytes: [UInt8]) throws {
        guard let source = header.source, let port = source.port, bytes.first == UInt8(ascii: "P") else { return }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        try expect(words.count == 6 && words[4] == "\(port)", "the port is \(port)")
        let again = try SocketAddress(ipAddress: String(words[2]), port: port)
        try expect(again == source, "the source is \(source)")
    }
}
