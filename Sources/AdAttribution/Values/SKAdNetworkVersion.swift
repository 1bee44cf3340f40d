/// A version of SKAdNetwork, `d.d` on the wire, such as `2.0` or `4.0`.
///
/// Any such text is a version; which ones can be signed or verified, `SignedLayout` tells.
public struct SKAdNetworkVersion: TextWireValue, Comparable, CustomStringConvertible {
    /// The digit before the dot.
    public let major: UInt8
    /// The digit behind the dot.
    public let minor: UInt8

    /// The version with these two digits, 0…9 each.
    init(major: UInt8, minor: UInt8) {
        self.major = major
        self.minor = minor
    }

    /// The version written `d.d`, or nil.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 3, bytes[1] == 0x2E,
            (0x30...0x39).contains(bytes[0]), (0x30...0x39).contains(bytes[2])
        else { return nil }
        self.init(major: bytes[0] - 0x30, minor: bytes[2] - 0x30)
    }

    /// The version as it stands on the wire, such as `2.0`.
    public var description: String { "\(major).\(minor)" }

    /// The order of the versions.
    public static func < (left: SKAdNetworkVersion, right: SKAdNetworkVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    /// What the value must be, to complete "must be …".
    public static let rule = "a version such as 2.0"
}
