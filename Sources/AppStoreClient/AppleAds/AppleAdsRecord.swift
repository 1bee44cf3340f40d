/// What Apple Ads says of an install: whether an ad led to it, and which one (Apple, "attributionToken()", payloads).
package struct AppleAdsRecord: Sendable, Equatable {
    /// The longest text that is kept, in bytes.
    private static let maximumText = 64
    /// Types of conversions by their names in lower case; Apple writes the last one as `PreOrder` and as `preorder`.
    private static let conversionTypes = [
        "download": "Download", "redownload": "Redownload", "preorder": "Preorder",
    ]

    /// Whether an ad led to it; if not, all else is nil.
    package private(set) var isAttributed = false
    /// The organization.
    package private(set) var orgID: Int64?
    /// The campaign, which an attribution always has.
    package private(set) var campaignID: Int64?
    /// The ad group.
    package private(set) var adGroupID: Int64?
    /// The keyword; nil without one.
    package private(set) var keywordID: Int64?
    /// The ad; nil before iOS 15.2.
    package private(set) var adID: Int64?
    /// The country or region of the campaign.
    package private(set) var countryOrRegion: String?
    /// Download, Redownload or Preorder; a type that is not known here is as Apple wrote it.
    package private(set) var conversionType: String?
    /// Click or Impression.
    package private(set) var claimType: String?
    /// Where the ad was.
    package private(set) var supplyPlacement: String?
    /// The day of the click or the impression, which Apple gives if the person allowed tracking.
    ///
    /// The time of day is not kept.
    package private(set) var adDay: String?

    /// No ad led to the install.
    package static let unattributed = AppleAdsRecord()

    private init() {}

    /// Reads an answer.
    ///
    /// Other members than the three that every attribution has are nil if they can't be used, so that it still counts.
    ///
    /// - Throws: That one of the three is not what Apple describes.
    init(_ answer: AnswerObject) throws(StoreAPIError) {
        guard let flag = try answer.boolean("attribution") else { throw Self.missing("attribution") }
        isAttributed = flag
        guard flag else { return }
        campaignID = try answer.integer("campaignId")
        guard campaignID != nil else { throw Self.missing("campaignId") }
        let type = try Self.text("conversionType", of: answer)
        guard let type else { throw Self.missing("conversionType") }
        conversionType = Self.conversionTypes[type.lowercased()] ?? type
        orgID = try? answer.integer("orgId")
        adGroupID = try? answer.integer("adGroupId")
        keywordID = try? answer.integer("keywordId")
        adID = try? answer.integer("adId")
        countryOrRegion = try? Self.text("countryOrRegion", of: answer)
        claimType = try? Self.text("claimType", of: answer)
        supplyPlacement = try? Self.text("supplyPlacement", of: answer)
        let clickDate = try? Self.text("clickDate", of: answer)
        let impressionDate = try? Self.text("impressionDate", of: answer)
        adDay = (clickDate ?? impressionDate).map { String($0.prefix(10)) }
    }

    private static func missing(_ name: String) -> StoreAPIError {
        StoreAPIError(.unreadable, "answer.\(name) is missing")
    }

    private static func text(_ name: String, of answer: AnswerObject) throws(StoreAPIError) -> String? {
        guard let text = try answer.text(name) else { return nil }
        guard (1...maximumText).contains(text.utf8.count), text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw StoreAPIError(
                .unreadable, "answer.\(name) must have 1 to \(maximumText) visible characters of ASCII")
        }
        return text
    }
}
