import AdAttribution

extension SimulatedPostback {
    /// The postback of a timeline as the device sends it.
    init?(_ postback: TimelinePostback, _ world: TimelineWorld) {
        let conversion = postback.conversion
        var random = SeededRandom(seed: ~world.seed, .postback, stream: postback.stream)
        let uuid = Self.uuid(random.next(), random.next())
        let isUpperCase = random.chance(0.5)
        let namesVersion = random.chance(0.5)
        let isKit = conversion.kind == .adAttributionKit
        guard let layout = conversion.kind.layout(),
            let transactionID = TransactionID(isKit && isUpperCase ? uuid.uppercased() : uuid),
            let campaign = postback.campaign
        else { return nil }
        let marketplace = conversion.isFromOtherMarketplace ? Self.otherMarketplace : Self.appStore
        self.init(
            layout: layout,
            traits: PostbackTraits(
                conversion.kind, conversionType: conversion.conversionType, didWin: postback.didWin,
                window: postback.window, tier: postback.tier.number, hasWindows: conversion.hasWindows),
            adNetworkID: world.networks[conversion.network], advertisedAppID: world.appIDs[conversion.app],
            transactionID: transactionID, campaign: campaign,
            redownload: conversion.conversionType == .redownload,
            fidelityType: conversion.isView ? .viewThrough : .storeKitRendered,
            source: postback.sendsSource ? world.sources[conversion.source] : nil,
            countryCode: postback.sendsCountry ? world.countries[conversion.country] : nil,
            marketplaceIdentifier: postback.sendsMarketplace ? MarketplaceIdentifier(marketplace) : nil,
            adInteractionType: conversion.isView ? .view : .click, namesVersion: namesVersion)
    }
}

extension TimelinePostback {
    /// The campaign as the postback names it.
    var campaign: Campaign? {
        guard conversion.hasWindows else {
            return CampaignID(Int64(conversion.campaignNumber)).map(Campaign.campaignID)
        }
        return SourceIdentifier(String(conversion.sourceIdentifier.suffix(digits))).map(Campaign.sourceIdentifier)
    }
}
