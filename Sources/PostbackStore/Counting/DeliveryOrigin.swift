package import PostgresClient

/// The source address and User-Agent of a delivery, if they are known and kept.
///
/// Apple relays postbacks: the address is the relay's, not that of the person who saw the ad.
package struct DeliveryOrigin: Sendable, Hashable {
    /// The greatest number of bytes of a User-Agent that are kept, in UTF-8.
    package static let maximumUserAgentSize = 256
    /// An origin without address and User-Agent, as in an imported archive.
    package static let unknown = DeliveryOrigin(address: nil, userAgent: nil)

    /// The source address; nil if it is not known.
    package let ipAddress: IPAddress?
    /// The source address in the canonical text of `IPAddress`; nil if it is not known.
    package var address: String? { ipAddress?.description }
    /// The User-Agent in 1 to 256 bytes, without control characters; nil if there was none.
    package let userAgent: String?

    /// Makes an origin that can be stored.
    /// - Parameters:
    ///   - address: The source address.
    ///   - userAgent: The header as received. Control characters (C0, DEL, C1) are removed, and U+FFFD, by which the
    ///     HTTP decoder replaces invalid UTF-8. Then spaces at both ends are removed. A longer text is cut to at most
    ///     256 bytes, between two Unicode scalars.
    package init(address: IPAddress?, userAgent: String?) {
        ipAddress = address
        self.userAgent = userAgent.flatMap(Self.cleaned)
    }

    /// Reads an origin from the database: the address as `host(…)` shows it, then the User-Agent.
    package init(stored columns: inout ColumnCursor) throws {
        let address: String? = try columns.next()
        self.init(address: address.flatMap { IPAddress($0) }, userAgent: try columns.next())
    }

    private static func cleaned(_ text: String) -> String? {
        guard !isClean(text) else { return text }
        var kept = String.UnicodeScalarView()
        var size = 0
        for scalar in text.unicodeScalars where !isRemoved(scalar) && !(scalar == " " && kept.isEmpty) {
            size += UTF8.width(scalar)
            guard size <= maximumUserAgentSize else { break }
            kept.append(scalar)
        }
        while kept.last == " " { kept.removeLast() }
        return kept.isEmpty ? nil : String(kept)
    }

    /// Whether a text needs no change, as almost every User-Agent.
    private static func isClean(_ text: String) -> Bool {
        let bytes = text.utf8
        return 1...maximumUserAgentSize ~= bytes.count && bytes.first != space && bytes.last != space
            && bytes.allSatisfy { space..<0x7F ~= $0 }
    }

    private static func isRemoved(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0xFFFD: true
        default: false
        }
    }

    private static let space = UInt8(ascii: " ")
}
