/// A file to fill in for a receiver, in the form that the receiver's documentation asks for.
///
/// `docs/forwarding.md` has the sources.
package enum DestinationPreset: String, Sendable, CaseIterable {
    /// Branch: Apple's body with what the network calls its campaign, ad set and ad.
    case branch
    /// AppMetrica: the same under other names.
    case appmetrica
    /// Adjust, "Apple payload structure": Apple's body with Adjust's members.
    case adjustApple = "adjust-apple"
    /// Adjust, "Adjust payload structure": all in the query of a GET.
    case adjustQuery = "adjust-query"
    /// As Unity Ads sends postbacks to measurement partners; others take the same form.
    case unityStyle = "unity-style"
    /// The SKAN standard 1.1: the way back from a measurement partner to a network.
    case skanStandard = "skan-standard"
    /// Apple's body and nothing else.
    case raw

    /// What stands in a file where the operator has to write something; a file that still has it is refused.
    package static let placeholder = "FILL-IN"

    /// The file.
    package func document(name: DestinationName) -> String {
        // No receiver says how it takes postbacks of AdAttributionKit.
        let filter = self == .raw ? [] : [#""when": { "protocol": ["skadnetwork"] }"#]
        let members = [#""name": "\#(name)""#] + filter + members
        return "{\n" + members.map { "  \($0)" }.joined(separator: ",\n") + "\n}\n"
    }

    /// The members beside the name and the filter.
    private var members: [String] {
        switch self {
        case .branch: Self.enriched("https://api2.branch.io/v1/skadnetwork", Self.branchMembers)
        case .appmetrica: Self.enriched("https://skadnet-postback.yandex.net/postback", Self.appMetricaMembers)
        case .adjustApple:
            Self.enriched("https://app.adjust.com/skadnetwork/{secret:adjust-network-token}", Self.adjustMembers)
        case .adjustQuery:
            Self.inQuery("GET", "https://app.adjust.com/skadnetwork/{secret:adjust-network-token}", Self.adjustItems)
        case .unityStyle: Self.enriched("https://\(Self.placeholder)", Self.unityMembers)
        case .skanStandard: Self.inQuery("POST", "https://\(Self.placeholder)", Self.skanItems)
        case .raw: [#""method": "POST""#, #""url": "https://\#(Self.placeholder)""#, #""body": "raw""#]
        }
    }

    private static func enriched(_ url: String, _ added: [(name: String, value: String)]) -> [String] {
        let lines = added.map { #"    "\#($0.name)": \#($0.value)"# }.joined(separator: ",\n")
        return [#""method": "POST""#, #""url": "\#(url)""#, #""body": "enriched""#, "\"add\": {\n\(lines)\n  }"]
    }

    private static func inQuery(
        _ method: String, _ url: String, _ query: [(name: String, value: String)]
    ) -> [String] {
        let text = query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        return [#""method": "\#(method)""#, #""url": "\#(url)?\#(text)""#, #""body": "none""#]
    }
}
