package import AdAttribution
import StrictJSON

/// Makes reproducible postbacks, signed with test keys, for demos, load and tests.
///
/// Every delivery is a function of the configuration, the keys and its index. So deliveries can be made in any order
/// and on many threads, without input, output or a clock. The table of versions says what is signed, and in which
/// order. Later deliveries of a postback may have another conversion value, or what a relay changed. Nothing else
/// differs, and no version signs these.
package struct PostbackSimulator: Sendable {
    /// What is simulated.
    package let configuration: Configuration

    private let production: SimulationSigners
    private let development: SimulationSigners?
    private let plan: DeliveryPlan
    private let choices: SimulationChoices

    /// The default version.
    package static let defaultVersion = SKAdNetworkVersion.v2_0

    /// Makes a simulator with test keys.
    ///
    /// - Parameter developmentKeys: They sign the share `developmentRate`. The key ring of a server says how these
    ///   count.
    /// - Throws: `FieldError` for a wrong value in the configuration, or for a missing key.
    package init(
        _ configuration: Configuration, keys: SimulationKeys, developmentKeys: SimulationKeys? = nil
    ) throws(FieldError) {
        try configuration.validate()
        let layouts = configuration.kinds.compactMap { $0.layout(in: configuration.versions) }
        production = try SimulationSigners(keys, for: layouts, field: "key")
        if configuration.developmentRate > 0 {
            guard let developmentKeys else { throw FieldError(field: "development-key", rule: "is missing") }
            development = try SimulationSigners(developmentKeys, for: layouts, field: "development-key")
        } else {
            development = nil
        }
        self.configuration = configuration
        plan = DeliveryPlan(configuration)
        choices = SimulationChoices(configuration)
    }

    /// The number of deliveries.
    package var count: Int { configuration.count }

    /// How many deliveries bring an earlier postback again without a higher value, in order of time.
    package var duplicates: Int { plan.duplicates }

    /// How many deliveries bring an earlier postback again with a higher value than any before, in order of time.
    ///
    /// They are fewer than asked for if too few postbacks have a value.
    package var raises: Int { plan.raises }

    /// How many deliveries bring an earlier postback again with a value of the other kind; likewise.
    package var conflicts: Int { plan.conflicts }

    /// The number of different postbacks.
    package var firstDeliveries: Int { count - duplicates - raises - conflicts }

    /// One delivery, 0…`count` − 1, or nil outside.
    ///
    /// - Throws: `KeyError` where libcrypto refuses.
    package func delivery(at index: Int) throws(KeyError) -> SimulatedDelivery? {
        guard plan.deliveries.indices.contains(index) else { return nil }
        let delivery = plan.deliveries[index]
        guard let postback = SimulatedPostback(delivery.postback, configuration, choices) else { return nil }
        let traits = postback.traits
        let value = traits.value(Int(delivery.step), isOther: delivery.isOther)
        let signers = traits.isDevelopment ? development ?? production : production
        var members = try postback.members(value, signers)
        var noise = RelayNoise(
            seed: configuration.seed, stream: UInt64(index), rate: configuration.relayNoiseRate,
            versions: configuration.versions)
        noise?.apply(to: &members, of: postback)
        var body = JSONObjectText()
        for member in members { body.append(member.name, json: member.json.utf8) }
        return SimulatedDelivery(
            body: body.finished(), postbackNumber: Int(delivery.postback), kind: traits.kind, didWin: traits.didWin,
            window: traits.window, offered: value, isDevelopment: traits.isDevelopment,
            isRelayNormalised: noise?.isNormalised ?? false)
    }

    /// The body of one delivery, 0…`count` − 1, or nil outside.
    ///
    /// - Throws: `KeyError` where libcrypto refuses.
    package func body(at index: Int) throws(KeyError) -> [UInt8]? {
        try delivery(at: index)?.body
    }

    /// The bodies of all deliveries, in order.
    ///
    /// - Throws: `KeyError` where libcrypto refuses.
    package func bodies() throws(KeyError) -> [[UInt8]] {
        var bodies: [[UInt8]] = []
        bodies.reserveCapacity(count)
        for index in 0..<count {
            if let body = try body(at: index) { bodies.append(body) }
        }
        return bodies
    }
}
