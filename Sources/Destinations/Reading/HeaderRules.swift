import StrictJSON

/// What headers a destination may have of its own.
enum HeaderRules {
    private static let greatestCount = 50
    private static let greatestLength = 4_096

    /// Headers that the request itself, the connection or the signature has.
    private static let reserved: Set<String> = [
        "connection", "content-length", "content-type", "expect", "host", "keep-alive", "proxy-authenticate",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "webhook-id",
        "webhook-signature", "webhook-timestamp", "x-adattribution-test",
    ]

    /// Reads `headers`; nil if something is wrong with them.
    static func read(_ node: DocumentNode) -> [HeaderTemplate]? {
        guard let object = node.object() else { return nil }
        if object.members.count > greatestCount { node.refuse("an object with at most \(greatestCount) members") }
        var names: Set<String> = []
        return object.members.compactMap { name, node in
            let lowercase = name.lowercased()
            if !isToken(name) {
                node.findings.refuse(node.place, "is no name of a header")
            } else if reserved.contains(lowercase) {
                node.findings.refuse(node.place, "is a header that a destination can't have of its own")
            } else if !names.insert(lowercase).inserted {
                node.findings.refuse(node.place, "stands twice: the names of headers have no letter case")
            }
            let rule = "1 to \(greatestLength) printable ASCII characters without a blank at either end"
            return node.template(rule, mayHaveSecrets: true, isValue).map { HeaderTemplate(name: name, value: $0) }
        }
    }

    /// Reads `content-type`, which a request without a body does not have; nil if something is wrong with it.
    static func contentType(_ reader: inout DocumentObject, body: DestinationBody?) -> String? {
        guard let node = reader.member("content-type") else { return Destination.defaultContentType }
        if case .some(DestinationBody.none) = body {
            node.findings.refuse(node.place, "must not stand here: there is no body")
        }
        return node.text("a media type, such as application/json") { isMediaType($0) ? $0 : nil }
    }

    /// A token of RFC 9110, section 5.6.2, of at most 100 characters.
    private static func isToken(_ text: some StringProtocol) -> Bool {
        let others = Array("!#$%&'*+-.^_`|~".utf8)
        return (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || others.contains(byte)
            }
    }

    private static func isValue(_ text: String) -> Bool {
        (1...greatestLength).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && text.utf8.first != 0x20 && text.utf8.last != 0x20
    }

    private static func isMediaType(_ text: String) -> Bool {
        let type = text.prefix { $0 != ";" }.split(separator: "/", omittingEmptySubsequences: false)
        return text.utf8.count <= 200 && isValue(text) && type.count == 2 && type.allSatisfy { isToken($0) }
    }
}
