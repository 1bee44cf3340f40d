import Access
import AuditTrail
import BackgroundWork
import Logging
import ServiceLifecycle
import Synchronization

/// Reads `tokens.json` again and again, and puts changed tokens in force; the trail gets what happened to them.
///
/// If the file can't be used, the tokens before stay in force.
struct TokenReader: Service {
    let file: TokenFile
    let tokens: CurrentTokens
    let trail: Trail
    /// The days for which entries of the trail stay; nil for ever.
    let trailDays: Int32?
    let logger: Logger
    var interval: Duration = .seconds(10)

    func run() async throws {
        let noted = Mutex(TokenRing?.none)
        let told = Mutex(TokenFileError?.none)
        await Repetition.run(every: interval, warning: "what happened to tokens is not in the trail", to: logger) {
            do throws(TokenFileError) {
                if tokens.replace(with: try file.read()) { logger.notice("changed tokens are in force") }
                told.withLock { $0 = nil }
            } catch {
                let isNew = told.withLock { told in
                    defer { told = error }
                    return told != error
                }
                if isNew { logger.error("the tokens before stay in force", metadata: ["error": "\(error)"]) }
            }
            let ring = tokens.ring
            guard noted.withLock({ $0 != ring }) else { return }
            try await trail.note(ring, keptFor: trailDays)
            noted.withLock { $0 = ring }
        }
    }
}
