import Foundation
import PostbackStore

/// Resolves hosts and checks their addresses.
struct CheckedAddresses: Sendable {
    let rules: AddressRules
    let resolver: AddressResolver
    /// How long a look-up may take.
    let timeout: Duration

    /// The addresses of a host that requests may go to, in the order in which they should be tried; perhaps none.
    ///
    /// - Parameter known: An address that works. It stays if the name servers don't answer.
    /// - Throws: Why there is none.
    func allowed(
        of host: String, or known: IPAddress?
    ) async throws(DeliveryFailure) -> [IPAddress] {
        var allowed: [IPAddress] = []
        var refusal: AddressRefusal?
        let addresses: [IPAddress]
        do throws(DeliveryFailure) {
            addresses = try await all(of: host)
        } catch {
            guard let known else { throw error }
            addresses = [known]
        }
        for address in addresses {
            do throws(AddressRefusal) {
                try rules.check(address, host: host)
                allowed.append(address)
            } catch {
                refusal = refusal ?? error
            }
        }
        if allowed.isEmpty, let refusal { throw DeliveryFailure(reason: refusal.description) }
        return allowed
    }

    private func all(of host: String) async throws(DeliveryFailure) -> [IPAddress] {
        // The client writes the brackets of a URL around IPv6.
        if let literal = IPAddress(host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))) { return [literal] }
        do {
            return try await withThrowingTaskGroup(of: [IPAddress]?.self) { group in
                group.addTask { try await self.resolver.addresses(host) }
                group.addTask {
                    try await Task.sleep(for: self.timeout)
                    return nil
                }
                defer { group.cancelAll() }
                guard let addresses = try await group.next() ?? nil else {
                    throw DeliveryFailure(
                        reason: "the host \(host) was not resolved within \(FailureWords.text(self.timeout))",
                        isTimeout: true)
                }
                return addresses
            }
        } catch let failure as DeliveryFailure {
            throw failure
        } catch {
            throw DeliveryFailure(reason: "the host \(host) was not resolved: \(error)")
        }
    }
}
