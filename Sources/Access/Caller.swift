import ECDSA

/// Somebody who may use the admin listener: who it is, and what they may do.
package struct Caller: Sendable, Equatable {
    /// Who it is.
    package enum Person: Sendable, Hashable, CustomStringConvertible {
        /// Whoever has `ADMIN_TOKEN`.
        case admin
        /// Whoever has a named token.
        case token(TokenName)
        /// Somebody whom a sign-on proxy names.
        case user(UserName)

        /// What the trail and the log call them.
        package var description: String {
            switch self {
            case .admin: "ADMIN_TOKEN"
            case .token(let name): "token \(name)"
            case .user(let name): "user \(name)"
            }
        }
    }

    /// Who it is.
    package let person: Person
    /// What they may do.
    package let scopes: Set<Scope>
    /// What their sessions are sealed with, 32 bytes.
    private let key: [UInt8]

    /// Whoever has `ADMIN_TOKEN`, with all scopes.
    package init(admin token: BearerToken) {
        (person, scopes) = (.admin, .all)
        key = token.derived(from: [])
    }

    /// Whoever has a named token.
    package init(_ token: NamedToken) {
        (person, scopes) = (.token(token.name), token.scopes)
        key = token.token.derived(from: [])
    }

    /// Somebody whom a sign-on proxy names; the seal is made with `ADMIN_TOKEN`.
    package init(_ user: UserName, scopes: Set<Scope>, sealedWith token: BearerToken) {
        (person, self.scopes) = (.user(user), scopes)
        key = token.derived(from: Array("user \(user)".utf8))
    }

    /// Whether they have a scope.
    package func may(_ scope: Scope) -> Bool { scopes.contains(scope) }

    /// 32 bytes that only servers which know the secret of this caller can make from these bytes.
    package func derived(from bytes: [UInt8]) -> [UInt8] { SHA256.digest(key + bytes) }
}
