package import Access
import HTTPTypes
import Hummingbird
package import PostbackIngest

/// A proxy before the admin listener that signs people on, and names them in headers of each request.
///
/// It is believed for the page only. For the API a browser could be made to send a request of another site, which the
/// proxy would sign on as well.
package struct SignOnProxy: Sendable {
    private let proxies: TrustedProxies
    private let userHeader: HTTPField.Name
    private let scopeHeader: HTTPField.Name
    private let key: BearerToken

    /// What the names of the headers must be, to complete "must be …".
    package static let rule =
        "the names of two headers with a comma between them: of the user, and of the scopes"

    /// Reads the names of the headers; nil if they break the rule.
    ///
    /// - Parameters:
    ///   - proxies: The other ends of connections whose headers are read.
    ///   - key: `ADMIN_TOKEN`, which seals the sessions.
    package init?(headers: String, from proxies: TrustedProxies, sealedWith key: BearerToken) {
        let names = headers.split(separator: ",", omittingEmptySubsequences: false).map { part in
            HTTPField.Name(String(part.drop { $0 == " " }))
        }
        guard names.count == 2, let user = names[0], let scopes = names[1], user != scopes else { return nil }
        (self.proxies, userHeader, scopeHeader, self.key) = (proxies, user, scopes, key)
    }

    /// Whom a request is of; nil if it has no such header, or comes from somebody else.
    ///
    /// Words that are no scope are left out: a proxy may name other groups of the person, too.
    func caller(of request: Request, from peer: ConnectionPeer) -> Caller? {
        guard proxies.contains(peer) else { return nil }
        // Of two headers one may be the client's own.
        let (users, scopes) = (request.headers[values: userHeader], request.headers[values: scopeHeader])
        guard users.count == 1, scopes.count <= 1, let user = UserName(users[0]) else { return nil }
        let words = (scopes.first ?? "").split { $0 == "," || $0 == " " }
        return Caller(user, scopes: Set(words.compactMap { Scope(rawValue: String($0)) }), sealedWith: key)
    }
}
