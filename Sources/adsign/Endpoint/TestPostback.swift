import AdAttribution
import PostbackSimulation

/// A postback for a check, which no server counts as production.
struct TestPostback: Sendable {
    let body: [UInt8]
    /// Whether it is signed with a key that the server should know.
    let isKnown: Bool

    /// Makes a new one.
    ///
    /// - Throws: `CommandError` for a wrong network or key.
    init(keyPath: String?, keyName: String?, network: String, isAdAttributionKit: Bool) throws {
        isKnown = keyPath != nil
        guard let network = AdNetworkID(network) else {
            throw CommandError(.usage, "ad-network-id: must be 1 to 64 characters out of A-Z a-z 0-9 . -")
        }
        // A new seed gives a new transaction id, so that the postback is not a duplicate.
        var configuration = PostbackSimulator.Configuration(
            seed: .random(in: .min ... .max), count: 1, adNetworkIDs: [network])
        configuration.kinds = [isAdAttributionKit ? .adAttributionKit : .skAdNetwork(.v4_0)]
        let given = try keyPath.map { try KeyFile.signingKey($0, curves: [.p256]) }
        let keys: SimulationKeys
        do throws(FieldError) {
            if let given, let keyPath {
                keys = try SimulationKeys(p256: given, name: keyName ?? SimulationKeyOptions.name(ofFile: keyPath))
            } else {
                keys = try SimulationKeys(p256: Self.unknownKey(), name: "adsign-check-endpoint")
            }
            let simulator = try PostbackSimulator(configuration, keys: keys)
            guard let body = try? simulator.body(at: 0) else { throw FieldError(field: "key", rule: "can't sign") }
            self.body = body
        } catch {
            throw CommandError(option: error)
        }
    }

    private static func unknownKey() throws(FieldError) -> SigningKey {
        do throws(KeyError) {
            return try SigningKey.generate(.p256)
        } catch {
            throw FieldError(field: "key", rule: "can't be made: \(error)")
        }
    }
}
