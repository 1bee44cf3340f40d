/// A value of one of Apple's wire names.
///
/// Only allowed values can be created.
///
/// `rule` completes the sentence "must be …", which a refusal shows to the sender.
package protocol WireValue: Sendable, Hashable {
    /// What the value must be, in words and with its range, for example `an integer from 1 to 100`.
    static var rule: String { get }
}

/// A wire value that is an integer in JSON.
protocol IntegerWireValue: WireValue {
    init?(_ integer: Int64)
}

/// A wire value that is a string in JSON.
protocol TextWireValue: WireValue {
    init?(_ text: String)

    /// The rule of the string, if the value has another form with another rule.
    static var textRule: String { get }
}

extension TextWireValue {
    static var textRule: String { rule }
}

/// A version of SKAdNetwork: two numbers from 0 to 99 with a dot between, such as `2.0` or `4.0`.
///
/// Any such text is a version; which ones can be signed or verified, `PostbackVersions` tells.
public struct SKAdNetworkVersion: TextWireValue, Comparable, CustomStringConvertible {
    /// The number before the dot.
    public let major: UInt8
    /// The number behind the dot.
    public let minor: UInt8

    /// The version with these two numbers, 0…99 each.
    package init(major: UInt8, minor: UInt8) {
        self.major = major
        self.minor = minor
    }

    /// The version that is written so, or nil; `02.0` is none.
    public init?(_ text: String) {
        var bytes = text.utf8.makeIterator()
        guard let major = Self.number(&bytes, endsWith: UInt8(ascii: ".")),
            let minor = Self.number(&bytes, endsWith: nil)
        else { return nil }
        self.init(major: major, minor: minor)
    }

    /// Reads a number and what stands behind it; nil if these are others.
    private static func number(_ bytes: inout String.UTF8View.Iterator, endsWith end: UInt8?) -> UInt8? {
        guard let first = digit(bytes.next()) else { return nil }
        let next = bytes.next()
        if next == end { return first }
        guard first > 0, let second = digit(next), bytes.next() == end else { return nil }
        return 10 * first + second
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        guard let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        return byte - UInt8(ascii: "0")
    }

    /// The version as it stands on the wire, such as `2.0`.
    public var description: String {
        String(unsafeUninitializedCapacity: 5) { output in
            var count = 0
            func append(_ byte: UInt8) {
                output[count] = byte
                count += 1
            }
            func append(number: UInt8) {
                if number > 9 { append(UInt8(ascii: "0") + number / 10) }
                append(UInt8(ascii: "0") + number % 10)
            }
            append(number: major)
            append(UInt8(ascii: "."))
            append(number: minor)
            return count
        }
    }

    /// The order of the versions.
    public static func < (left: SKAdNetworkVersion, right: SKAdNetworkVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    /// The first version, whose postbacks and signed strings carry no version.
    public static let v1_0 = SKAdNetworkVersion(major: 1, minor: 0)
    /// iOS 14.
    public static let v2_0 = SKAdNetworkVersion(major: 2, minor: 0)
    /// The same fields as 2.0, with Apple's key on P-256.
    public static let v2_1 = SKAdNetworkVersion(major: 2, minor: 1)
    /// iOS 14.5: view-through ads.
    public static let v2_2 = SKAdNetworkVersion(major: 2, minor: 2)
    /// iOS 14.6: assists.
    public static let v3_0 = SKAdNetworkVersion(major: 3, minor: 0)
    /// iOS 16.1: source identifiers, three conversion windows, coarse values, web ads.
    public static let v4_0 = SKAdNetworkVersion(major: 4, minor: 0)

    /// What the value must be, to complete "must be …".
    package static let rule = "a version such as 2.0"
}
