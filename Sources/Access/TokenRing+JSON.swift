import StrictJSON

/// A row of `tokens.json` breaks a rule.
struct TokenRowError: Error, Equatable {
    let line: Int
    let rule: String
}

/// The members of a row.
private enum TokenMember: String, CaseIterable {
    case name
    case scopes
    case sha256
    case added
    case addedBy = "added-by"
    case ends
    case revoked
    case revokedBy = "revoked-by"
}

extension TokenRing {
    /// Reads the text of a file.
    init(json bytes: [UInt8]) throws(TokenRowError) {
        let document: LocatedJSON
        do throws(LocatedJSONError) {
            document = try LocatedJSON(object: bytes, maximumDepth: 4)
        } catch {
            let rule = error.name.map { "\(JSONText.shown($0)) stands twice in its object" } ?? error.rule.rawValue
            throw TokenRowError(line: error.line, rule: rule)
        }
        guard case .object(let members) = document.value, members.count == 1, members[0].name == "tokens",
            case .array(let rows) = members[0].value.value
        else { throw TokenRowError(line: document.line, rule: "must be an object with the array “tokens” alone") }
        guard rows.count <= Self.greatestCount else {
            throw TokenRowError(line: document.line, rule: "tokens: must be at most \(Self.greatestCount)")
        }
        var tokens: [NamedToken] = []
        for row in rows {
            let token = try TokenRow(row).token
            guard !tokens.contains(where: { $0.token == token.token }) else {
                throw TokenRowError(line: row.line, rule: "sha256: must be another one in each row")
            }
            tokens.append(token)
        }
        self.init(tokens)
    }

    /// The text of a file.
    var json: [UInt8] {
        let rows = tokens.map { token -> JSONDocument in
            func text(_ member: TokenMember, _ text: String) -> (name: String, value: JSONDocument) {
                (member.rawValue, .string(text))
            }
            var members = [text(.name, "\(token.name)")]
            let scopes = Scope.allCases.filter(token.scopes.contains).map { JSONDocument.string($0.rawValue) }
            members.append((TokenMember.scopes.rawValue, .array(scopes)))
            members += [
                text(.sha256, token.token.sha256), text(.added, "\(token.added.time)"),
                text(.addedBy, token.added.person), text(.ends, "\(token.ends)"),
            ]
            if let revoked = token.revoked {
                members += [text(.revoked, "\(revoked.time)"), text(.revokedBy, revoked.person)]
            }
            return .object(members)
        }
        return JSONDocument.object([("tokens", .array(rows))]).text()
    }
}

/// Reads one row.
private struct TokenRow {
    let token: NamedToken

    init(_ json: LocatedJSON) throws(TokenRowError) {
        guard case .object(let members) = json.value else {
            throw TokenRowError(line: json.line, rule: "a token must be an object")
        }
        for (name, value) in members where TokenMember(rawValue: name) == nil {
            throw TokenRowError(line: value.line, rule: "\(JSONText.shown(name)) is not a member that is known here")
        }
        let reader = TokenRowReader(line: json.line, members: members)
        let name = try reader.value(.name, TokenName.rule) { TokenName($0) }
        let token = try reader.value(.sha256, "must be the SHA-256 of a token, 64 hexadecimal digits") {
            BearerToken(sha256: $0)
        }
        let added = try reader.act(.added, .addedBy)
        let ends = try reader.value(.ends, TokenTime.rule) { TokenTime($0) }
        let isRevoked = reader.has(.revoked) || reader.has(.revokedBy)
        self.token = NamedToken(
            name: name, scopes: try reader.scopes(), token: token, added: added, ends: ends,
            revoked: isRevoked ? try reader.act(.revoked, .revokedBy) : nil)
    }
}

/// Takes members out of a row.
private struct TokenRowReader {
    let line: Int
    let members: [(name: String, value: LocatedJSON)]

    func has(_ member: TokenMember) -> Bool { members.contains { $0.name == member.rawValue } }

    /// A member that must be there.
    private func member(_ member: TokenMember) throws(TokenRowError) -> LocatedJSON {
        guard let found = members.first(where: { $0.name == member.rawValue }) else {
            throw TokenRowError(line: line, rule: "\(member.rawValue): is missing")
        }
        return found.value
    }

    func value<Value>(
        _ name: TokenMember, _ rule: String, _ read: (String) -> Value?
    ) throws(TokenRowError) -> Value {
        let json = try member(name)
        guard case .string(let text) = json.value, let value = read(text) else {
            throw TokenRowError(line: json.line, rule: "\(name.rawValue): \(rule)")
        }
        return value
    }

    func act(_ time: TokenMember, _ person: TokenMember) throws(TokenRowError) -> NamedToken.Act {
        let at = try value(time, TokenTime.rule) { TokenTime($0) }
        return try value(person, NamedToken.Act.personRule) { NamedToken.Act(at, by: $0) }
    }

    func scopes() throws(TokenRowError) -> Set<Scope> {
        let json = try member(.scopes)
        guard case .array(let elements) = json.value, !elements.isEmpty else {
            throw TokenRowError(line: json.line, rule: "scopes: must be an array of one scope or more")
        }
        var scopes: Set<Scope> = []
        for element in elements {
            guard case .string(let text) = element.value, let scope = Scope(rawValue: text) else {
                throw TokenRowError(line: element.line, rule: "scopes: each \(Scope.rule)")
            }
            guard scopes.insert(scope).inserted else {
                throw TokenRowError(line: element.line, rule: "scopes: \(scope.rawValue) stands twice")
            }
        }
        return scopes
    }
}
