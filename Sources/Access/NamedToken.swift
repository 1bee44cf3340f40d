import StrictJSON

/// A token with a name, scopes and an end: one row of `tokens.json`.
package struct NamedToken: Sendable, Hashable {
    /// Whether it may be used.
    package enum State: String, Sendable {
        case valid
        case ended
        case revoked
    }

    /// Something that somebody did with it.
    package struct Act: Sendable, Hashable {
        /// When.
        package let time: TokenTime
        /// Who, as the trail calls them.
        package let person: String

        /// What a person must be.
        static let personRule = "must be 1 to 128 characters, none of which controls a terminal"

        /// Takes both.
        ///
        /// - Returns: nil if the person breaks the rule.
        package init?(_ time: TokenTime, by person: String) {
            guard (1...128).contains(person.count), !person.unicodeScalars.contains(where: JSONText.isControlling)
            else { return nil }
            (self.time, self.person) = (time, person)
        }
    }

    /// Who has it.
    package let name: TokenName
    /// What it opens; not empty.
    package let scopes: Set<Scope>
    /// The secret, as a digest.
    package let token: BearerToken
    /// Who made it.
    package let added: Act
    /// From this moment on it opens nothing.
    package let ends: TokenTime
    /// Who revoked it; nil if nobody did.
    package let revoked: Act?

    init(
        name: TokenName, scopes: Set<Scope>, token: BearerToken, added: Act, ends: TokenTime, revoked: Act? = nil
    ) {
        (self.name, self.scopes, self.token) = (name, scopes, token)
        (self.added, self.ends, self.revoked) = (added, ends, revoked)
    }

    /// Whether it may be used at a time.
    package func state(at time: TokenTime) -> State {
        if revoked != nil { return .revoked }
        return ends <= time ? .ended : .valid
    }

    /// The same, revoked.
    func revoked(_ act: Act) -> NamedToken {
        NamedToken(name: name, scopes: scopes, token: token, added: added, ends: ends, revoked: act)
    }

    /// What the trail calls it.
    package var subject: String { "token \(name) \(token.id)" }
}
