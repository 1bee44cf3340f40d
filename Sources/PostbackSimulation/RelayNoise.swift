import AdAttribution

/// The changes that relays make to bodies: more members, absent fields as 0, capitals, values that Apple does not send.
///
/// They change nothing that was signed, and a receiver must not count them.
struct RelayNoise: Sendable {
    private var random: SeededRandom
    private let versions: PostbackVersions
    /// Whether a receiver must undo something, beyond ignoring unknown members.
    private(set) var isNormalised = false

    /// The changes to one delivery; nil if no relay changed it.
    ///
    /// - Parameters:
    ///   - stream: The number of the delivery.
    ///   - rate: The share of deliveries that relays change, 0…1.
    init?(seed: UInt64, stream: UInt64, rate: Double, versions: PostbackVersions) {
        random = SeededRandom(seed: seed &+ 0x5EED_0F_4E01_5E, stream: stream)
        self.versions = versions
        guard random.chance(rate) else { return nil }
    }

    /// Changes the members of a body.
    mutating func apply(to members: inout [SimulatedPostback.Member], of postback: SimulatedPostback) {
        addUnknownKeys(&members)
        if random.chance(0.5) { capitalise(&members) }
        if random.chance(0.5) { addSurplus(&members, postback.traits) }
        guard case .skAdNetwork = postback.traits.kind else { return }
        if random.chance(0.5) { addFieldsOfOtherVersions(&members, postback.layout) }
        if random.chance(0.5), postback.source?.appID == nil,
            let field = postback.layout.signedFields.first(where: { $0.column == .sourceAppID })
        {
            isNormalised = add(&members, field.name, "0") || isNormalised
        }
    }

    private mutating func addUnknownKeys(_ members: inout [SimulatedPostback.Member]) {
        members.append(("timestamp", String(1_700_000_000 + random.below(10_000_000))))
        if random.chance(0.5) { members.append(("ip", "\"17.58.\(random.below(256)).\(random.below(256))\"")) }
        if random.chance(0.5) { members.append(("adjust-tracker", "{\"id\":[\(random.below(1_000)),null]}")) }
        if random.chance(0.5) { members.append(("partner-name", "\"caf\\u00e9\"")) }
    }

    private mutating func capitalise(_ members: inout [SimulatedPostback.Member]) {
        let name = EnvelopeField.coarseConversionValue.name
        guard let place = members.firstIndex(where: { $0.name == name }) else { return }
        members[place].json = members[place].json.uppercased()
        isNormalised = true
    }

    /// Adds fields that this version does not sign, with values that would change what is counted if they were read.
    private mutating func addFieldsOfOtherVersions(
        _ members: inout [SimulatedPostback.Member], _ layout: PostbackLayout
    ) {
        for field in versions.skAdNetworkFields where !layout.signs(field) {
            guard let json = field.examples.last?.json else { continue }
            isNormalised = add(&members, field.name, json) || isNormalised
        }
    }

    /// Adds values that Apple does not send, which a receiver must not count.
    private mutating func addSurplus(_ members: inout [SimulatedPostback.Member], _ traits: PostbackTraits) {
        let fine = String(random.below(64))
        if !traits.didWin || traits.window > 0 {
            _ = add(&members, EnvelopeField.conversionValue.name, fine)
        } else if members.contains(where: { $0.name == EnvelopeField.conversionValue.name }) {
            _ = add(&members, EnvelopeField.coarseConversionValue.name, "\"high\"")
        }
    }

    /// Adds a field if the body has none with its name.
    private func add(_ members: inout [SimulatedPostback.Member], _ name: String, _ json: String) -> Bool {
        guard !members.contains(where: { $0.name == name }) else { return false }
        members.append((name, json))
        return true
    }
}
