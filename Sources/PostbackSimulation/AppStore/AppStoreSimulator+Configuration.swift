import AdAttribution
import Foundation

extension AppStoreSimulator {
    /// What is simulated.
    package struct Configuration: Sendable, Hashable {
        /// The seed of all random choices.
        package var seed: UInt64
        /// The number of customers who buy something, 1…500,000.
        package var customers: Int
        /// The first day, in UTC.
        package var begin = "2026-01-01"
        /// The number of days, 1…3,660; nothing is signed after the last one.
        package var days = 180
        /// The apps, all equally likely.
        package var bundleIDs = ["com.example.game", "com.example.news"]
        /// The share of customers, 0…1, whose developer gets version 1.
        package var v1Share = 0.0
        /// The share of purchases, 0…1, that are refunded.
        package var refundShare = 0.06
        /// The share of purchases that a family can share, 0…1, that are shared.
        package var familyShare = 0.2
        /// The share of notifications, 0…1, that arrive some hours or days late.
        package var lateShare = 0.05
        /// The share of notifications, 0…1, that are delivered three times.
        package var repeatedShare = 0.05
        /// The share of notifications of version 2, 0…1, that are never delivered.
        package var missingShare = 0.0
        /// Whether the deliveries are in a random order.
        package var isShuffled = false
        /// The shared secret of all apps, which version 1 needs.
        package var sharedSecret: String?

        /// So many customers, with version 2 only.
        package init(seed: UInt64, customers: Int) {
            self.seed = seed
            self.customers = customers
        }

        /// Checks all values; returns the time in which everything happens.
        func validate() throws(FieldError) -> Range<Moment> {
            _ = try TimelineWorld.value("app-store", customers, "an integer from 1 to 500000") {
                (1...500_000).contains($0) ? $0 : nil
            }
            _ = try TimelineWorld.value("days", days, "an integer from 1 to 3660") {
                (1...3_660).contains($0) ? $0 : nil
            }
            let shares = [
                ("v1-share", v1Share), ("refund-share", refundShare), ("family-share", familyShare),
                ("late-share", lateShare), ("repeated-share", repeatedShare), ("missing-share", missingShare),
            ]
            for (field, share) in shares { _ = try TimelineSettings.share(field, share) }
            for bundleID in bundleIDs {
                // As App Store Connect takes them.
                _ = try TimelineWorld.value("bundle-id", bundleID, "letters, digits, hyphens and points, at most 155") {
                    $0.wholeMatch(of: /[A-Za-z0-9.-]{1,155}/) != nil ? $0 : nil
                }
            }
            guard !bundleIDs.isEmpty, Set(bundleIDs).count == bundleIDs.count else {
                throw FieldError(field: "bundle-id", rule: "each app must stand once")
            }
            guard v1Share == 0 || sharedSecret != nil else {
                throw FieldError(field: "shared-secret-file", rule: "is missing, and version 1 needs it")
            }
            let start = try TimelineWorld.value("begin", begin, Moment.dayRule) { Moment(day: $0) }
            return start..<start + .days(days)
        }
    }
}

extension Moment {
    /// What the text of a day must be, to complete "must be …".
    static let dayRule = "a day from 2002 to 2200, such as 2026-07-01"

    /// Midnight UTC of a day; nil if there is no such day, or if it is outside 2002-01-01 and 2200-12-31.
    init?(day text: String) {
        guard let date = try? Date(text, strategy: Date.ISO8601FormatStyle().year().month().day()),
            (1_009_843_200...7_289_481_600).contains(date.timeIntervalSince1970)
        else { return nil }
        self.init(milliseconds: Int64(date.timeIntervalSince1970) * 1_000)
        // Foundation reads 2026-02-30 as 2026-03-02, and 2026-1-1, too.
        guard day == text else { return nil }
    }

    /// The day, in UTC.
    var day: String {
        Date(timeIntervalSince1970: Double(milliseconds.dividingRoundedDown(by: 1_000)))
            .formatted(Date.ISO8601FormatStyle().year().month().day())
    }
}
