/// What each preset adds to Apple's body, or writes into the query, in order.
extension DestinationPreset {
    /// Source: Branch, "SKAN Postback API Spec".
    ///
    /// Its example has the time in seconds, as a number.
    static let branchMembers: [(name: String, value: String)] = [
        ("partner-campaign-name", #""{campaign-name}""#), ("partner-campaign-id", #""{campaign-id}""#),
        ("partner-ad-set-id", #""{adset-id}""#), ("partner-ad-set-name", #""{adset-name}""#),
        ("partner-ad-id", #""{ad-id}""#), ("partner-ad-name", #""{ad-name}""#), ("ip-address", #""{ip}""#),
        ("user-agent", #""{user-agent}""#), ("timestamp", #"{ "number": "{received-seconds}" }"#),
    ]

    /// Source: AppMetrica, "Integration for ad networks within SKAdNetwork".
    ///
    /// It has the time as a string.
    static let appMetricaMembers: [(name: String, value: String)] = [
        ("ad-network-campaign-id", #""{campaign-id}""#), ("ad-network-campaign-name", #""{campaign-name}""#),
        ("ad-network-adset-id", #""{adset-id}""#), ("ad-network-adset-name", #""{adset-name}""#),
        ("ad-network-ad-id", #""{ad-id}""#), ("ad-network-ad-name", #""{ad-name}""#), ("ip", #""{ip}""#),
        ("timestamp", #""{received-seconds}""#),
    ]

    /// Source: Adjust, "Apple payload structure".
    ///
    /// The tracker is the token of a link of Adjust's.
    static let adjustMembers: [(name: String, value: String)] = [
        ("adjust-tracker", "\"\(placeholder)\""), ("adjust-campaign", #""{campaign-name}""#),
        ("adjust-campaign-id", #""{campaign-id}""#), ("adjust-adgroup", #""{adset-name}""#),
        ("adjust-adgroup-id", #""{adset-id}""#), ("adjust-creative", #""{ad-name}""#),
        ("adjust-creative-id", #""{ad-id}""#), ("timestamp", #"{ "number": "{received-seconds}" }"#),
    ]

    /// Source: Adjust, "Adjust payload structure": the parameters of the campaign, then Apple's fields under their names.
    static let adjustItems: [(name: String, value: String)] = [
        ("tracker", placeholder), ("campaign", "{campaign-name}"), ("campaign_id", "{campaign-id}"),
        ("adgroup", "{adset-name}"), ("adgroup_id", "{adset-id}"), ("creative", "{ad-name}"),
        ("creative_id", "{ad-id}"), ("version", "{version}"), ("ad-network-id", "{ad-network-id}"),
        ("campaign-id", "{skan-campaign-id}"), ("source-identifier", "{source-identifier}"),
        ("transaction-id", "{transaction-id}"), ("app-id", "{app-id}"),
        ("attribution-signature", "{attribution-signature}"), ("redownload", "{redownload}"),
        ("source-app-id", "{source-app-id}"), ("conversion-value", "{conversion-value}"),
        ("fidelity-type", "{fidelity-type}"), ("did-win", "{did-win}"),
        ("coarse-conversion-value", "{coarse-value}"), ("postback-sequence-index", "{sequence-index}"),
    ]

    /// Source: Unity, "SKAdNetwork postback integration reference".
    static let unityMembers: [(name: String, value: String)] = [
        ("ip", #""{ip}""#), ("ad-network-campaign-id", #""{campaign-id}""#),
        ("ad-network-campaign-name", #""{campaign-name}""#), ("ad-network-source-app-id", #""{source-app-id}""#),
    ]

    /// Source: the SKAN standard 1.1, section 5.1, and its example.
    ///
    /// It leaves open how a range of revenue is written.
    static let skanItems: [(name: String, value: String)] = [
        ("src", placeholder), ("attribution_type", "skadnetwork"), ("app_id", "{app-id}"), ("country", "{country}"),
        ("skan_postback", "{raw-base64}"), ("revenue", "{revenue-low}-{revenue-high}"), ("events", "{event}"),
    ]
}
