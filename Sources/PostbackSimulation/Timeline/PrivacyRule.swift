/// How it is decided what a postback may say.
enum PrivacyRule: Sendable {
    /// By the size of the crowd: the installs of some days before, and how many of them the tiers 1, 2 and 3 need.
    case crowd(days: Int, thresholds: [Int])
    /// By chance: this share of conversions is in tier 0, all others are in tier 3.
    case random(share: Double)

    /// How many days before the first one must be known.
    var daysBefore: Int {
        guard case .crowd(let days, _) = self else { return 0 }
        return days
    }
}

/// The postback data tier of a conversion, and the length of its source identifier.
///
/// Up to SKAdNetwork 3.0 Apple has no tiers, but withholds the value and the source app below thresholds of its own.
/// There tiers 0 and 1 send neither, tier 2 sends the value, and tier 3 both.
///
/// Source: Apple, "Receiving postbacks in multiple conversion windows".
struct PrivacyTier: Sendable, Equatable {
    /// The tier, 0…3.
    let number: Int
    /// The number of digits of the source identifier that the first postback has, 2…4.
    let digits: Int
    /// How many installs the crowd has; nil if chance decided.
    let crowd: Int?

    /// The tier by the crowds of two, three and four digits.
    ///
    /// The system takes the identifier with the highest tier. If several have it, it takes the longest of them, but two
    /// digits in tiers 0 and 1.
    init(crowds: (two: Int, three: Int, four: Int), thresholds: [Int]) {
        func tier(_ count: Int) -> Int { thresholds.count { $0 <= count } }
        // A crowd of more digits is a part of that of fewer, so two digits always have the highest tier.
        number = tier(crowds.two)
        crowd = crowds.two
        if number < 2 {
            digits = 2
        } else if tier(crowds.four) == number {
            digits = 4
        } else {
            digits = tier(crowds.three) == number ? 3 : 2
        }
    }

    /// The tier by chance.
    init(isWithheld: Bool) {
        number = isWithheld ? 0 : 3
        digits = isWithheld ? 2 : 4
        crowd = nil
    }
}
