/// The named tokens of the key ring.
///
/// A name has two valid tokens at most, so that one can be replaced by another one while both are taken.
package struct TokenRing: Sendable, Equatable {
    /// The greatest number of tokens, revoked and ended ones included.
    ///
    /// Each token that comes with a request is compared with all of them.
    package static let greatestCount = 256
    /// The greatest number of valid tokens of a name.
    package static let greatestCountOfName = 2
    /// How many days a token that opens nothing any more stays in the list.
    package static let keptDays: Int64 = 90

    /// Why a list of tokens can't be changed.
    package enum Refusal: Error, Sendable, Equatable, CustomStringConvertible {
        /// The name has two valid tokens.
        case twoValid(TokenName, ids: [String])
        /// There are too many tokens.
        case tooMany
        /// No valid token is meant.
        case unknown(TokenName, id: String?)
        /// Several valid tokens are meant.
        case several(TokenName, ids: [String])

        /// What is wrong, and what to do.
        package var description: String {
            switch self {
            case .twoValid(let name, let ids):
                "\(name) has two valid tokens; revoke the one that is not used any more: "
                    + ids.map { "PostbackServer token revoke \(name) --id \($0)" }.joined(separator: " or ")
            case .tooMany:
                "there are \(TokenRing.greatestCount) tokens, and no more are taken; each is removed 90 days after it ends"
            case .unknown(let name, nil): "\(name) has no valid token"
            case .unknown(let name, let id?): "\(name) has no valid token \(id)"
            case .several(let name, let ids):
                "\(name) has two valid tokens; say which by --id: \(ids.joined(separator: " or "))"
            }
        }
    }

    /// The tokens, in the order in which they were added.
    package private(set) var tokens: [NamedToken] = []

    /// A ring without a token.
    package init() {}

    /// Takes tokens that a file has, whose digests differ.
    init(_ tokens: [NamedToken]) { self.tokens = tokens }

    /// The token with this secret, whatever its state; nil if there is none.
    package func token(_ secret: BearerToken) -> NamedToken? {
        // All are compared, so the time tells nothing.
        var found: NamedToken?
        for token in tokens where token.token.isEqual(to: secret) { found = token }
        return found
    }

    /// Adds a token, and drops those that open nothing for more than 90 days.
    ///
    /// - Parameters:
    ///   - scopes: At least one.
    ///   - ends: After the time of `added`.
    /// - Throws: `Refusal`.
    package mutating func add(
        _ token: BearerToken, name: TokenName, scopes: Set<Scope>, added: NamedToken.Act, ends: TokenTime
    ) throws(Refusal) {
        let valid = tokens.filter { $0.name == name && $0.state(at: added.time) == .valid }
        guard valid.count < Self.greatestCountOfName else { throw .twoValid(name, ids: valid.map(\.token.id)) }
        tokens.removeAll { added.time.seconds - ($0.revoked?.time ?? $0.ends).seconds > Self.keptDays * 86_400 }
        guard tokens.count < Self.greatestCount else { throw .tooMany }
        tokens.append(NamedToken(name: name, scopes: scopes, token: token, added: added, ends: ends))
    }

    /// Revokes a valid token of a name: the only one, or the one with an id.
    ///
    /// - Returns: The token.
    /// - Throws: `Refusal`.
    package mutating func revoke(
        _ name: TokenName, id: String? = nil, _ act: NamedToken.Act
    ) throws(Refusal) -> NamedToken {
        let places = tokens.indices.filter { place in
            tokens[place].name == name && tokens[place].state(at: act.time) == .valid
                && (id == nil || tokens[place].token.id == id)
        }
        guard let place = places.first else { throw .unknown(name, id: id) }
        guard places.count == 1 else { throw .several(name, ids: places.map { tokens[$0].token.id }) }
        tokens[place] = tokens[place].revoked(act)
        return tokens[place]
    }
}
