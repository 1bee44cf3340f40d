/// What a refused body names, as far as it could be read: network, app, campaign and transaction.
///
/// They are not verified.
package struct PostbackClaims: Sendable, Equatable {
    /// The protocol, by the form of the body.
    package let attributionProtocol: AttributionProtocol
    /// The network that it names.
    package let adNetworkID: AdNetworkID?
    /// The advertised app that it names.
    package let advertisedAppID: AppID?
    /// The campaign id or source identifier that it names.
    package let campaign: Campaign?
    /// The transaction that it names.
    package let transactionID: TransactionID?

    init(
        attributionProtocol: AttributionProtocol, adNetworkID: AdNetworkID? = nil, advertisedAppID: AppID? = nil,
        campaign: Campaign? = nil, transactionID: TransactionID? = nil
    ) {
        self.attributionProtocol = attributionProtocol
        self.adNetworkID = adNetworkID
        self.advertisedAppID = advertisedAppID
        self.campaign = campaign
        self.transactionID = transactionID
    }

    init(_ postback: Postback) {
        self.init(
            attributionProtocol: postback.attributionProtocol, adNetworkID: postback.adNetworkID,
            advertisedAppID: postback.advertisedAppID, campaign: postback.campaign,
            transactionID: postback.transactionID)
    }

    init(_ attributionProtocol: AttributionProtocol, _ object: WireFields<Int>, _ set: PostbackFieldSet) {
        func first(_ column: PostbackField.Column) -> FieldValue? {
            for (number, field) in set.fields.enumerated() {
                guard let field, field.column == column, let token = object[number] else { continue }
                return try? WireToken(token: token, name: field.name, bytes: object.bytes).value(field.kind)
            }
            return nil
        }
        let campaign: Campaign? =
            switch first(.campaign) {
            case .integer(let id): CampaignID(id).map(Campaign.campaignID)
            case .text(let digits): SourceIdentifier(digits).map(Campaign.sourceIdentifier)
            case .boolean, .uuid, nil: nil
            }
        self.init(
            attributionProtocol: attributionProtocol,
            adNetworkID: first(.adNetworkID)?.text.flatMap { AdNetworkID($0) },
            advertisedAppID: first(.advertisedAppID)?.integer.flatMap { AppID($0) }, campaign: campaign,
            transactionID: first(.transactionID)?.text.flatMap { TransactionID($0) })
    }
}
