import StrictJSON

/// What the answer to a test postback says about the endpoint.
struct EndpointAnswer {
    private let answer: HTTPAnswer
    private let isKnown: Bool

    /// Takes an answer.
    ///
    /// - Parameter isKnown: Whether the server should know the key of the postback.
    init(_ answer: HTTPAnswer, isKnown: Bool) {
        self.answer = answer
        self.isKnown = isKnown
    }

    /// The finding.
    var finding: EndpointFinding {
        let (state, text, remedy) = judgement
        return EndpointFinding(state, "answer", "\(answer.status)\(text)", remedy: remedy)
    }

    /// What the status means, the text behind it, and how to mend it.
    private var judgement: (EndpointFinding.State, text: String, remedy: String?) {
        switch answer.status {
        case 200 where answer.outcome == "accepted": (.ok, " accepted; it counts as test", nil)
        case 200: (.ok, "\(outcome)\(isKnown ? "" : "; the server accepts a postback that nobody signed")", nil)
        case 300..<400:
            (
                .failed, ", a redirect\(place); Apple does not say that a device follows it",
                "answer at this URL itself, with and without a slash at its end"
            )
        case 403 where isKnown && answer.outcome != nil:
            (.failed, outcome, "put the network and the public key, as a test key under its name, into the key ring")
        case 403 where answer.outcome == "invalid_signature":
            (.ok, " invalid_signature, as it must be: the postback arrived, and nobody knows its key", nil)
        case 403 where answer.outcome == "unknown_network":
            (
                .note, " unknown_network: the postback arrived, and its network is not in the key ring",
                "give a network of the key ring with --ad-network-id"
            )
        case 403:
            (
                .failed, ", not from a PostbackServer",
                "let the firewall or the proxy pass everybody; Apple's requests come from many addresses"
            )
        case 401, 407: (.failed, "; a device does not log in", "ask for no password at this path")
        case 404, 405, 410: (.failed, "", "check the path, and that a proxy passes POST to the server")
        case 429, 500...: (.failed, outcome, "look into the log of the server, whether its database can be reached")
        default: (.failed, "\(outcome); Apple counts only 200 as received", "look into the log of the server")
        }
    }

    /// The outcome of a PostbackServer; other texts of an answer are never shown.
    private var outcome: String {
        guard let outcome = answer.outcome, (1...40).contains(outcome.utf8.count),
            outcome.utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == 0x5F })
        else { return "" }
        return " \(outcome)"
    }

    /// The target of a redirect, escaped.
    private var place: String {
        guard let location = answer.location else { return "" }
        let scalars = location.unicodeScalars.prefix(200).map { (0x21...0x7E).contains($0.value) ? $0 : "?" }
        return " to \(JSONText.quoted(String(String.UnicodeScalarView(scalars))))"
    }
}
