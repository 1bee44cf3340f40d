package import AdAttribution
import StrictJSON

/// A simulator of Apple's side in time: installs, users, windows, privacy tiers and deliveries, with the truth beside.
///
/// `days()` says what arrives when, on one thread. `lines(of:)` signs a delivery and can run on many threads. There is
/// no input, output or clock. `docs/simulation.md` describes the model.
package struct Timeline: Sendable {
    /// The lines of one delivery, each without its end; a line is nil if the delivery does not have it.
    package struct Lines: Sendable {
        /// The postback as it arrives at the network, with `received-at`.
        package let network: [UInt8]?
        /// The postback as it arrives at the developer of the advertised app, with `received-at`.
        package let copy: [UInt8]?
        /// What happened behind the postback.
        package let truth: [UInt8]?
    }

    private let world: TimelineWorld
    private let signers: SimulationSigners
    private let hasCopies: Bool

    /// Makes a simulator with test keys.
    ///
    /// - Parameter hasCopies: Whether developers get copies.
    /// - Throws: `FieldError` for a wrong setting, or for a missing key.
    package init(
        _ settings: TimelineSettings, seed: UInt64, keys: SimulationKeys, hasCopies: Bool = true
    ) throws(FieldError) {
        world = try TimelineWorld(settings, seed: seed)
        signers = try SimulationSigners(keys, for: world.kinds.compactMap { $0.layout() }, field: "key")
        self.hasCopies = hasCopies
    }

    /// The curves that the keys of some settings must have.
    ///
    /// - Throws: `FieldError` for a wrong setting.
    package static func curves(of settings: TimelineSettings) throws(FieldError) -> Set<Curve> {
        Set(try TimelineWorld(settings, seed: 0).kinds.compactMap { $0.layout()?.curve })
    }

    /// The deliveries, day by day, in the order of time.
    ///
    /// - Parameter end: The first moment whose deliveries are left out; nil for all deliveries.
    package func days(until end: Moment? = nil) -> TimelineDays {
        TimelineDays(world, hasCopies: hasCopies, until: end)
    }

    /// Signs a delivery.
    ///
    /// - Throws: `KeyError` where libcrypto refuses.
    package func lines(of delivery: TimelineDelivery) throws(KeyError) -> Lines {
        let postback = delivery.postback
        guard let simulated = SimulatedPostback(postback, world) else { throw .unavailable }
        let members = try simulated.members(postback.sentValue, signers)
        var relayed = members
        let relay = postback.stream << 1 | (delivery.isRetry ? 1 : 0)
        if var noise = RelayNoise(seed: world.seed, stream: relay, rate: world.shares.relay, versions: .apple) {
            noise.apply(to: &relayed, of: simulated)
        }
        return Lines(
            network: delivery.recipients.contains(.network) ? Self.line(relayed, delivery) : nil,
            copy: delivery.recipients.contains(.developer) ? Self.line(members, delivery) : nil,
            truth: delivery.hasTruth ? postback.truth(simulated, world) : nil)
    }

    private static func line(_ members: [SimulatedPostback.Member], _ delivery: TimelineDelivery) -> [UInt8] {
        var body = JSONObjectText()
        for member in members { body.append(member.name, json: member.json.utf8) }
        body.append("received-at", delivery.receivedAt.milliseconds)
        return body.finished()
    }
}
