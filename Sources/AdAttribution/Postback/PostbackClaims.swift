/// The network and the app that a refused body names, if they could be read.
///
/// They are not verified.
package struct PostbackClaims: Sendable, Equatable {
    /// The protocol, by the form of the body.
    package let attributionProtocol: AttributionProtocol
    /// The network that it names.
    package let adNetworkID: AdNetworkID?
    /// The advertised app that it names.
    package let advertisedAppID: AppID?

    init(
        attributionProtocol: AttributionProtocol, adNetworkID: AdNetworkID? = nil, advertisedAppID: AppID? = nil
    ) {
        self.attributionProtocol = attributionProtocol
        self.adNetworkID = adNetworkID
        self.advertisedAppID = advertisedAppID
    }

    init(_ postback: Postback) {
        self.init(
            attributionProtocol: postback.attributionProtocol, adNetworkID: postback.adNetworkID,
            advertisedAppID: postback.advertisedAppID)
    }

    init(_ attributionProtocol: AttributionProtocol, _ object: WireFields<Int>, _ set: PostbackFieldSet) {
        func first(_ column: PostbackField.Column) -> FieldValue? {
            for (number, field) in set.fields.enumerated() {
                guard let field, field.column == column, let token = object[number] else { continue }
                return try? WireToken(token: token, name: field.name, bytes: object.bytes).value(field.kind)
            }
            return nil
        }
        self.init(
            attributionProtocol: attributionProtocol,
            adNetworkID: first(.adNetworkID)?.text.flatMap { AdNetworkID($0) },
            advertisedAppID: first(.advertisedAppID)?.integer.flatMap { AppID($0) })
    }
}
