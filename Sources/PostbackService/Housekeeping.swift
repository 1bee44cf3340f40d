import AppStoreEvents
import AppleAds
import AuditTrail
import BackgroundWork
import CampaignData
import EventLog
import Forwarding
import Logging
import Observability
import PageRequests
import PostbackIngest
import PostbackStore
import PostgresClient
import ServiceLifecycle

/// One thing that every server does for the tables regularly.
///
/// What fails is logged, and tried again the next time. If one server dies, another one goes on within an interval.
struct Housekeeping: Service {
    private let interval: Duration
    private let warning: Logger.Message
    private let logger: Logger
    private let work: @Sendable () async throws -> Void

    private init(
        every interval: Duration, warning: Logger.Message, _ logger: Logger,
        _ work: @escaping @Sendable () async throws -> Void
    ) {
        self.interval = interval
        self.warning = warning
        self.logger = logger
        self.work = work
    }

    func run() async throws {
        await Repetition.run(every: interval, warning: warning, to: logger, work)
    }

    /// Creates the partitions of the week ahead.
    ///
    /// Every server looks whether one is missing, and one at a time creates it. The clock may be set forward meanwhile.
    /// Then the batch that needs a partition creates it.
    static func partitions(_ store: PostbackStore, _ logger: Logger) -> Housekeeping {
        Housekeeping(every: .seconds(5), warning: "partitions wait for the database", logger) {
            try await store.addMissingPartitions()
        }
    }

    /// Looks whether somebody has taken a right from the server's role.
    static func rights(_ store: PostbackStore, _ logger: Logger) -> Housekeeping {
        Housekeeping(every: .seconds(30), warning: "a right in the database is missing", logger) {
            try await store.checkRights()
        }
    }

    /// Removes expired web ads, answered or not; one server at a time does so.
    static func webAds(_ store: PostbackStore, clock: WallClock, _ logger: Logger) -> Housekeeping {
        Housekeeping(every: .seconds(5), warning: "expired web ads were not removed", logger) {
            let now = PostgresTimestamp(millisecondsSince1970: clock.milliseconds())
            _ = try await store.removeExpiredWebAds(at: now)
        }
    }

    /// Removes drafts of the page that are older than an hour.
    static func drafts(_ store: PostbackStore, clock: WallClock, _ logger: Logger) -> Housekeeping {
        Housekeeping(every: .seconds(60), warning: "old drafts of the page were not removed", logger) {
            try await store.removeOldPageDrafts(at: PostgresTimestamp(millisecondsSince1970: clock.milliseconds()))
        }
    }

    /// Removes what loads of the operator changed, if they are past their retention.
    static func loads(_ store: PostbackStore, _ rules: RetentionRules, clock: WallClock, _ logger: Logger)
        -> Housekeeping
    {
        Housekeeping(every: .seconds(600), warning: "loads past their retention were not removed", logger) {
            guard let days = rules.loadDays else { return }
            try await store.removeLoadRows(
                before: PostgresTimestamp(millisecondsSince1970: clock.milliseconds() - Int64(days) * 86_400_000))
        }
    }

    /// Removes entries of the trail that are past their retention.
    static func trail(_ store: PostbackStore, _ rules: RetentionRules, _ logger: Logger) -> Housekeeping {
        Housekeeping(every: .seconds(600), warning: "old entries of the trail were not removed", logger) {
            guard let days = rules.trailDays else { return }
            let count = try await store.dropTrail(olderThan: days)
            if count > 0 { logger.notice("old entries of the trail removed", metadata: ["count": "\(count)"]) }
        }
    }

    /// Removes bodies of notifications of the App Store that are past their retention, those that were refused too.
    static func storeBodies(_ store: PostbackStore, days: Int32?, clock: WallClock, _ logger: Logger) -> Housekeeping {
        Housekeeping(
            every: .seconds(600), warning: "old bodies of notifications of the App Store were not removed", logger
        ) {
            guard let days else { return }
            let time = PostgresTimestamp(millisecondsSince1970: clock.milliseconds() - Int64(days) * 86_400_000)
            let refused = try await store.dropRejectedNotifications(before: time)
            let count = try await store.dropStoreBodies(before: time) + refused
            if count > 0 {
                logger.notice(
                    "old bodies of notifications of the App Store removed", metadata: ["count": "\(count)"])
            }
        }
    }

    /// Writes down the App Store ids of the key ring's apps, soon after it was read anew.
    static func storeApps(_ store: PostbackStore, _ keyRing: KeyRingInForce, _ logger: Logger) -> Housekeeping {
        Housekeeping(every: .seconds(30), warning: "App Store ids of the key ring were not written down", logger) {
            try await store.noteStoreApps(of: keyRing)
        }
    }

    /// Removes source addresses of refused notifications of the App Store that are past their retention.
    static func notificationAddresses(
        _ store: PostbackStore, _ rules: RetentionRules, clock: WallClock, _ logger: Logger
    ) -> Housekeeping {
        Housekeeping(
            every: .seconds(600), warning: "source addresses of refused notifications were not removed", logger
        ) {
            guard let days = rules.addressDays else { return }
            _ = try await store.forgetNotificationAddresses(
                before: PostgresTimestamp(millisecondsSince1970: clock.milliseconds() - Int64(days) * 86_400_000))
        }
    }

    /// Gives up tokens of Apple Ads that have waited for a day, and removes settled ones a week after they came.
    ///
    /// A server that exchanges tokens gives them up within a second. But perhaps no server exchanges any.
    static func appleAds(_ store: PostbackStore, _ metrics: AppleAdsMetrics, _ logger: Logger) -> Housekeeping {
        Housekeeping(every: .seconds(600), warning: "old tokens of Apple Ads were not removed", logger) {
            let expired = try await store.expireAppleAdsTokens()
            metrics.countExpired(expired)
            if expired > 0 {
                logger.notice(
                    "a token of Apple Ads was given up", metadata: ["reason": "expired", "count": "\(expired)"])
            }
            _ = try await store.dropAppleAdsTokens()
        }
    }

    /// Removes deliveries to destinations that failed for good, if they are past their retention.
    static func deadLetters(_ store: PostbackStore, _ configuration: ForwardingConfiguration, _ logger: Logger)
        -> Housekeeping
    {
        Housekeeping(every: .seconds(600), warning: "old dead letters were not removed", logger) {
            guard let days = configuration.deadLetterDays else { return }
            let count = try await store.dropDead(olderThan: days)
            if count > 0 { logger.notice("old dead letters removed", metadata: ["count": "\(count)"]) }
        }
    }

    /// Removes source addresses and User-Agents of bodies that are past their retention.
    static func addresses(_ store: PostbackStore, _ rules: RetentionRules, _ logger: Logger) -> Housekeeping {
        Housekeeping(
            every: .seconds(10), warning: "source addresses past their retention were not removed", logger
        ) {
            guard let day = try await store.forgetAddresses(rules) else { return }
            logger.notice("source addresses of a day removed", metadata: ["day": "\(day)"])
        }
    }

    /// Does the same in the quarantine.
    ///
    /// It reads the whole quarantine, and locks it meanwhile. So it does this rarely.
    static func rejectedAddresses(_ store: PostbackStore, _ rules: RetentionRules, _ logger: Logger) -> Housekeeping {
        Housekeeping(
            every: .seconds(600), warning: "source addresses in the quarantine were not removed", logger
        ) {
            try await store.forgetRejectedAddresses(rules)
        }
    }
}
