package import Destinations
import Forwarding
import PostbackService

extension Settings {
    /// Why secrets that a destination names can't be used, a line for each.
    package func missingSecrets(of destination: Destination) -> [String] {
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
package struct MissingSecret: Error, CustomStringConvertible {
    let destination: DestinationName
    let problem: String

    /// Takes the destination, and what is wrong with a secret of it.
    package init(destination: DestinationName, problem: String) {
        self.destination = destination
        self.problem = problem
    }

    /// One line.
    package var description: String { "destination \(destination): \(problem)" }
}
