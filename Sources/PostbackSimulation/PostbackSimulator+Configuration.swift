package import AdAttribution

extension PostbackSimulator {
    /// What is simulated.
    ///
    /// The same configuration and keys always give the same bytes.
    package struct Configuration: Sendable, Hashable {
        /// The seed of all random choices.
        package var seed: UInt64
        /// The number of all deliveries, 1…10,000,000.
        package var count: Int
        /// The networks that the postbacks are for.
        package var adNetworkIDs: [AdNetworkID]
        /// The kinds of postbacks.
        ///
        /// One is chosen for each postback, so a kind that occurs twice is more likely.
        package var kinds: [SimulatedKind] = [.skAdNetwork(PostbackSimulator.defaultVersion)]
        /// The table of versions that the kinds are taken from.
        package var versions = PostbackVersions.apple
        /// The advertised apps.
        package var advertisedAppIDs: [AppID] = [525_463_029, 1_234_567_891, 10_738_027_756].compactMap { AppID($0) }
        /// What is advertised: an app and a campaign.
        package var lines = Lines.campaigns(100)
        /// The source apps.
        package var sources = Population.equal(20)
        /// The domains with web ads.
        package var domains = Population.equal(3)
        /// The number of the first source app and of the first domain, 1…1,000,000,000.
        package var firstSource = 1
        /// Another one gives the same postbacks under other transaction ids.
        package var occasion: UInt64 = 0
        /// The share of deliveries, 0…1, that repeat a postback with the highest value so far, a lower one or none.
        package var duplicates = 0.0
        /// The share of deliveries, 0…1, that repeat a postback with a value above every earlier one.
        package var raises = 0.0
        /// The share of deliveries, 0…1, that repeat a postback with a value of the other kind (fine or coarse).
        package var conflicts = 0.0
        /// The share of postbacks, 0…1, with did-win false, if the kind has such.
        package var losingRate = 0.0
        /// The share of winning postbacks, 0…1, of the second and third window, if the kind has such.
        package var laterWindowRate = 0.0
        /// The share of postbacks, 0…1, that the development key signs.
        package var developmentRate = 0.0
        /// The share of deliveries, 0…1, whose body a relay changed.
        package var relayNoiseRate = 0.0
        /// The share of postbacks, 0…1, that name the network in capitals or with the other protocol's suffix.
        package var otherSpellingRate = 0.0
        /// The share of postbacks, 0…1, that name the source app.
        package var sourceAppRate = 0.8
        /// The share of postbacks that name a source, 0…1, in which it is a domain, if the kind has such.
        package var sourceDomainRate = 0.2
        /// The share of postbacks, 0…1, in privacy tier 3, in which they name a source, if the kind has tiers.
        package var tier3Rate = 0.25
        /// The share of postbacks, 0…1, whose first delivery has a conversion value.
        package var conversionValueRate = 0.7
        /// The share of postbacks, 0…1, that are redownloads.
        package var redownloadRate = 0.2
        /// Whether the deliveries are in a random order, in which a raise can come before the first value.
        package var isShuffled = false

        /// Postbacks of version 2.0 for these networks, each delivered once, in order.
        package init(seed: UInt64, count: Int, adNetworkIDs: [AdNetworkID]) {
            self.seed = seed
            self.count = count
            self.adNetworkIDs = adNetworkIDs
        }

        /// Postbacks of every kind, with duplicates, raises, conflicts, relays and so on: a mixed stream.
        ///
        /// It has no development postbacks, because their keys must be given.
        package static func everything(seed: UInt64, count: Int, adNetworkIDs: [AdNetworkID]) -> Configuration {
            var configuration = Configuration(seed: seed, count: count, adNetworkIDs: adNetworkIDs)
            configuration.kinds = SimulatedKind.all
            configuration.duplicates = 0.05
            configuration.raises = 0.05
            configuration.conflicts = 0.02
            configuration.losingRate = 0.15
            configuration.laterWindowRate = 0.3
            configuration.relayNoiseRate = 0.1
            configuration.otherSpellingRate = 0.02
            return configuration
        }

        /// What is advertised.
        package enum Lines: Sendable, Hashable {
            /// One of the advertised apps and, apart from it, one of so many campaigns, 1…100.
            case campaigns(Int)
            /// A pair of an app and a campaign.
            ///
            /// The first pair has the first app and the first campaign, the second one the second app, and so on. An
            /// app has at most 10,000 campaigns, or 100 if postbacks before SKAdNetwork 4.0 are among the kinds.
            case population(Population)
        }

        /// The greatest number of deliveries of one simulation.
        package static let maximumCount = 10_000_000

        /// The number of duplicates.
        var duplicateCount: Int { Int((Double(count) * duplicates).rounded()) }
        /// The number of raises.
        var raiseCount: Int { Int((Double(count) * raises).rounded()) }

        /// The number of deliveries with a value of the other kind.
        var conflictCount: Int { Int((Double(count) * conflicts).rounded()) }

        func validate() throws(FieldError) {
            try Self.require(count, in: 1...Self.maximumCount, "count")
            let shares = [
                ("duplicates", duplicates), ("raises", raises), ("conflicts", conflicts), ("losing-rate", losingRate),
                ("later-window-rate", laterWindowRate), ("development-rate", developmentRate),
                ("relay-noise-rate", relayNoiseRate), ("other-spelling-rate", otherSpellingRate),
                ("source-app-rate", sourceAppRate), ("source-domain-rate", sourceDomainRate),
                ("tier-3-rate", tier3Rate),
                ("conversion-value-rate", conversionValueRate), ("redownload-rate", redownloadRate),
            ]
            for (field, share) in shares where !(0...1).contains(share) {
                throw FieldError(field: field, rule: "must be a share from 0 to 1", value: "\(share)")
            }
            guard !adNetworkIDs.isEmpty else { throw FieldError(field: "ad-network-id", rule: "is missing") }
            guard !advertisedAppIDs.isEmpty else { throw FieldError(field: "app-id", rule: "is missing") }
            guard !kinds.isEmpty else { throw FieldError(field: "version", rule: "is missing") }
            for case .skAdNetwork(let version) in kinds where versions.skAdNetwork[version] == nil {
                let known = versions.versions.map(\.description).joined(separator: ", ")
                throw FieldError(field: "version", rule: "must be one of \(known)", value: version.description)
            }
            try validatePopulations()
            guard duplicateCount + raiseCount + conflictCount < count else {
                throw FieldError(field: "duplicates", rule: "raises and conflicts must leave some first deliveries")
            }
            // If there are at least as many first deliveries as raises, a value can always be raised.
            guard raiseCount <= count - duplicateCount - raiseCount - conflictCount else {
                throw FieldError(
                    field: "raises", rule: "must not be more than the first deliveries", value: "\(raises)")
            }
        }

        /// A source identifier has four digits, and a campaign id of earlier versions is at most 100.
        private func validatePopulations() throws(FieldError) {
            let hasCampaignIDs = kinds.contains { $0.layout(in: versions).map { !$0.signs(.sequenceIndex) } ?? false }
            switch lines {
            case .campaigns(let count): try Self.require(count, in: 1...100, "campaigns")
            case .population(let population):
                let most = advertisedAppIDs.count * (hasCampaignIDs ? 100 : 10_000)
                try Self.require(population.count, in: 1...min(most, population.most), "lines")
            }
            try Self.require(sources.count, in: 1...sources.most, "sources")
            try Self.require(domains.count, in: 1...domains.most, "domains")
            try Self.require(firstSource, in: 1...1_000_000_000, "first-source")
        }

        private static func require(_ value: Int, in range: ClosedRange<Int>, _ field: String) throws(FieldError) {
            guard range.contains(value) else {
                throw FieldError(
                    field: field, rule: "must be an integer from \(range.lowerBound) to \(range.upperBound)",
                    value: "\(value)")
            }
        }
    }
}
