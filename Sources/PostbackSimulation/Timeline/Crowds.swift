/// How many installs of the last days each crowd has.
///
/// The installs of a crowd have the same source, advertised app and network, and the same digits of the source
/// identifier. For AdAttributionKit they have the same country too. Re-engagements count as installs. Source: Apple, "Receiving postbacks in multiple
/// conversion windows"; only the page of AdAttributionKit names the country.
struct Crowds: Sendable {
    private let days: Int
    private let thresholds: [Int]
    /// Of each crowd, the sum of `window`.
    private var counts: [UInt64: Int32] = [:]
    /// The last days, the oldest first.
    private var window: [[UInt64: Int32]] = []

    /// Crowds of some days, at least one.
    init(days: Int, thresholds: [Int]) {
        self.days = days
        self.thresholds = thresholds
    }

    /// The tier of a conversion.
    func tier(of conversion: SimulatedConversion) -> PrivacyTier {
        let isKit = conversion.kind == .adAttributionKit
        func count(_ digits: Int) -> Int {
            Int(counts[Self.key(conversion, digits: digits, withCountry: isKit), default: 0])
        }
        return PrivacyTier(crowds: (count(2), count(3), count(4)), thresholds: thresholds)
    }

    /// Adds a day, and forgets the oldest one if there are too many.
    mutating func add(_ conversions: [SimulatedConversion]) {
        var day: [UInt64: Int32] = [:]
        for conversion in conversions {
            for digits in 2...4 {
                day[Self.key(conversion, digits: digits, withCountry: false), default: 0] += 1
                day[Self.key(conversion, digits: digits, withCountry: true), default: 0] += 1
            }
        }
        for (key, count) in day { counts[key, default: 0] += count }
        window.append(day)
        guard window.count > days else { return }
        for (key, count) in window.removeFirst() {
            counts[key, default: 0] -= count
            if counts[key] == 0 { counts[key] = nil }
        }
    }

    /// All that makes a crowd, in one number.
    private static func key(_ conversion: SimulatedConversion, digits: Int, withCountry: Bool) -> UInt64 {
        let identifier = UInt64(conversion.sourceIdentifier.suffix(digits)) ?? 0
        // 7, 7, 20, 14, 3 and 9 bits; the checks of the settings say that these are enough.
        var key = UInt64(conversion.network) << 7 | UInt64(conversion.app)
        key = key << 20 | UInt64(conversion.source)
        key = key << 14 | identifier
        return key << 12 | UInt64(digits) << 9 | (withCountry ? UInt64(conversion.country) + 1 : 0)
    }
}
