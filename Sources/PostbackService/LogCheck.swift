import BackgroundWork
import EventLog
import Logging
import PostbackStore
import ServiceLifecycle

/// Compares state, bodies and log every minute: see `PostbackStore.checkLog`.
///
/// The metric `adattribution_log_problems` shows what does not fit together until it is mended. Whenever something new is
/// found, all of it is logged, by lane and day.
struct LogCheck: Service {
    let store: PostbackStore
    let metrics: LogMetrics
    let logger: Logger
    var interval: Duration = .seconds(60)

    func run() async throws {
        await Repetition.run(every: interval, warning: "state, bodies and log were not compared", to: logger) {
            let found = try await store.checkLog()
            let problems = try await store.logProblems()
            metrics.record(problems, checkedAt: try await store.logCheckedAt())
            guard found > 0 else { return }
            for problem in problems {
                logger.error(
                    "state, bodies and log do not fit together",
                    metadata: [
                        "problem": "\(problem.problem.rawValue)", "day": "\(problem.day)", "lane": "\(problem.lane)",
                        "postbacks": "\(problem.postbacks)", "example": "\(problem.example)",
                    ])
            }
        }
    }
}
