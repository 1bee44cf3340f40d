import Destinations
import Forwarding
import PostbackService

extension Settings {
    /// Why secrets that a destination names can't be used, a line for each.
    func missingSecrets(of destination: Destination) -> [String] {
        let files = service.forwarding.secrets
        return destination.secrets.compactMap { name -> String? in
            do {
                _ = try files.secrets([name])
                return nil
            } catch {
                return "\(error)"
            }
        }
    }
}

/// A destination that waits, since a secret can't be used.
struct MissingSecret: Error, CustomStringConvertible {
    let destination: DestinationName
    let problem: String

    var description: String { "destination \(destination): \(problem)" }
}
