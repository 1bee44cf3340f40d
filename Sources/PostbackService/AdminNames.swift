import HTTPListener

/// The names by which the admin listener may be asked.
///
/// A page of another site can let a name of its own resolve to the address of this server (DNS rebinding). To a browser
/// the server is then a part of that site, and its scripts read the answers. Only the header `Host` tells: it has the
/// name of the other site. So a name must be known. Numeric addresses are always accepted: no DNS decides where they lead.
/// `localhost` and names below it are accepted too, since no DNS server answers for them (RFC 6761, section 6.3). That is
/// the rule of Vite's `server.allowedHosts`. Ports are not compared: a proxy may have another one.
package struct AdminNames: Sendable, Equatable {
    /// What a list must be, to complete "must be …".
    package static let rule =
        "host names with commas between them, without ports and addresses; addresses are always taken"

    private var names: Set<String> = []

    /// No names beside those that are always taken.
    package init() {}

    /// Reads a list; nil if a part of it is no name.
    package init?(_ list: String) {
        for part in list.split(separator: ",", omittingEmptySubsequences: list.isEmpty) {
            let text = part.drop { $0 == " " }
            guard text.wholeMatch(of: /[A-Za-z0-9_](?:[A-Za-z0-9_.\-]{0,252})/) != nil,
                case .name(let name) = RequestHost(text)
            else { return nil }
            names.insert(name)
        }
    }

    /// Adds the host at which a listener is bound.
    mutating func add(bound host: String) {
        if case .name(let name) = RequestHost(host) { names.insert(name) }
    }

    /// Whether a request for this host may be answered.
    func contains(_ host: RequestHost) -> Bool {
        switch host {
        case .address: true
        case .name(let name): name == "localhost" || name.hasSuffix(".localhost") || names.contains(name)
        }
    }
}
