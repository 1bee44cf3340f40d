/// Where a delivery came from, as far as it is known and kept.
///
/// Behind Apple's relay this is the relay, not the person who saw the ad.
public struct DeliveryOrigin: Sendable, Hashable {
    /// The most bytes of UTF-8 that are kept of a User-Agent.
    public static let maximumUserAgentSize = 256
    /// An origin of which nothing is known, as in an imported archive.
    public static let unknown = DeliveryOrigin(address: nil, userAgent: nil)

    /// The source address; nil if it is not known.
    public let ipAddress: IPAddress?
    /// The source address in the canonical text of `IPAddress`; nil if it is not known.
    public var address: String? { ipAddress?.description }
    /// The User-Agent in 1 to 256 bytes, without control characters; nil if there was none.
    public let userAgent: String?

    /// An origin, made fit to be stored.
    /// - Parameters:
    ///   - address: The source address.
    ///   - userAgent: The header as it came. Control characters (C0, DEL, C1) and U+FFFD are removed; the HTTP decoder
    ///     puts U+FFFD in place of invalid UTF-8. Then spaces at both ends are removed. What is longer than 256 bytes
    ///     is cut between two Unicode scalars.
    public init(address: IPAddress?, userAgent: String?) {
        ipAddress = address
        self.userAgent = userAgent.flatMap(Self.cleaned)
    }

    /// An origin as the database keeps it: the address as `host(…)` shows it, then the User-Agent.
    init(stored columns: inout ColumnCursor) throws {
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

    /// Whether a text can stay as it is, which holds for almost every User-Agent.
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
