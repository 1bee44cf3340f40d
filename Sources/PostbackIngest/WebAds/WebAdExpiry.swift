import Logging
import PostbackStore
import PostgresClient
import ServiceLifecycle

/// Removes expired web ads, answered or not.
///
/// One server at a time does so.
struct WebAdExpiry: Service {
    let store: PostbackStore
    let clock: WallClock
    let logger: Logger
    var interval: Duration = .seconds(5)

    func run() async throws {
        await Repetition.run(every: interval) {
            do {
                let now = PostgresTimestamp(millisecondsSince1970: clock.milliseconds())
                _ = try await store.removeExpiredWebAds(at: now)
            } catch is CancellationError {
                // The service stops.
            } catch {
                logger.warning("expired web ads were not removed", metadata: ["error": "\(error)"])
            }
        }
    }
}
