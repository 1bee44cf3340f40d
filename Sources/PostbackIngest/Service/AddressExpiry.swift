import Logging
import PostbackStore
import ServiceLifecycle

/// Removes source addresses and User-Agents that are past their retention.
struct AddressExpiry: Service {
    let store: PostbackStore
    let rules: RetentionRules
    let logger: Logger
    var interval: Duration = .seconds(10)

    func run() async throws {
        await Repetition.run(every: interval) {
            do {
                guard let day = try await store.forgetAddresses(rules) else { return }
                logger.notice("source addresses of a day removed", metadata: ["day": "\(day)"])
            } catch is CancellationError {
                // The service stops.
            } catch {
                logger.warning(
                    "source addresses past their retention were not removed", metadata: ["error": "\(error)"])
            }
        }
    }
}
