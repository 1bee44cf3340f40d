import NIOCore

/// Version 1: one line, such as `PROXY TCP4 192.0.2.1 198.51.100.1 56324 443`.
extension ProxyHeader {
    private static let start = Array("PROXY ".utf8)
    /// The most bytes of the line, with CR and LF.
    private static let maximumLineLength = 107

    static func readText(from bytes: inout ByteBuffer) throws(ProxyHeaderError) -> ProxyHeader? {
        guard bytes.readableBytesView.prefix(start.count).elementsEqual(start.prefix(bytes.readableBytes)) else {
            throw ProxyHeaderError("must begin with PROXY and a space")
        }
        let line = bytes.readableBytesView.prefix(maximumLineLength)
        guard let end = line.firstIndex(where: { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }) else {
            guard line.count < maximumLineLength else { throw tooLong }
            return nil
        }
        guard line[end] == UInt8(ascii: "\r") else { throw badEnd }
        guard let feed = line[end...].dropFirst().first else {
            guard line.count < maximumLineLength else { throw tooLong }
            return nil
        }
        guard feed == UInt8(ascii: "\n") else { throw badEnd }
        let header = try header(of: Array(line[..<end].dropFirst(start.count)))
        bytes.moveReaderIndex(forwardBy: line[..<end].count + 2)
        return header
    }

    private static let tooLong = ProxyHeaderError("must have at most \(maximumLineLength) bytes in version 1")
    private static let badEnd = ProxyHeaderError("must end with CR and LF in version 1")

    /// Reads what follows `PROXY `.
    private static func header(of text: [UInt8]) throws(ProxyHeaderError) -> ProxyHeader {
        var words = text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)[...]
        let separator: UInt8
        switch words.popFirst().map({ String(decoding: $0, as: UTF8.self) }) {
        // What follows has no meaning.
        case "UNKNOWN": return ProxyHeader(source: nil)
        case "TCP4": separator = UInt8(ascii: ".")
        case "TCP6": separator = UInt8(ascii: ":")
        default: throw ProxyHeaderError("must name TCP4, TCP6 or UNKNOWN in version 1")
        }
        guard let source = words.popFirst(), let destination = words.popFirst(), let sourcePort = words.popFirst(),
            let destinationPort = words.popFirst(), words.isEmpty
        else { throw ProxyHeaderError("must have two addresses and two ports in version 1") }
        guard let address = address(source, port(sourcePort), separator),
            self.address(destination, port(destinationPort), separator) != nil
        else { throw ProxyHeaderError("has a wrong address or port") }
        return ProxyHeader(source: address)
    }

    /// - Parameter separator: What every address of the family contains.
    private static func address(_ text: ArraySlice<UInt8>, _ port: Int?, _ separator: UInt8) -> SocketAddress? {
        let isColonAllowed = separator == UInt8(ascii: ":")
        guard let port, text.contains(separator), isColonAllowed || !text.contains(UInt8(ascii: ":")),
            text.allSatisfy({ $0 != 0 })
        else { return nil }
        return try? SocketAddress(ipAddress: String(decoding: text, as: UTF8.self), port: port)
    }

    /// A decimal number up to 65535 without leading zeros.
    private static func port(_ text: ArraySlice<UInt8>) -> Int? {
        guard 1...5 ~= text.count, text.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            text.count == 1 || text.first != UInt8(ascii: "0")
        else { return nil }
        return UInt16(String(decoding: text, as: UTF8.self)).map(Int.init)
    }
}
