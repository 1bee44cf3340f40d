/// Any object as raw JSON members.
struct JSONMembers: JSONObjectBody, Sendable, ExpressibleByDictionaryLiteral {
    var members: [(key: String, json: String)]

    init(_ members: [(key: String, json: String)]) {
        self.members = members
    }

    init(dictionaryLiteral members: (String, String)...) {
        self.init(members.map { (key: $0.0, json: $0.1) })
    }
}
