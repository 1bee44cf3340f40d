/// Reads the members of one object, and remembers which of them were asked for.
struct ObjectReader {
    let place: Place
    let members: [(name: String, node: Node)]
    let findings: Findings
    private var known: Set<String> = []

    init(place: Place, members: [(String, Node)], findings: Findings) {
        self.place = place
        self.members = members
        self.findings = findings
    }

    /// The first member that has one of these names; nil if there is none.
    mutating func member(_ names: String...) -> Node? {
        member(names)
    }

    /// The same without `null`, which some formats write for a member that is not set.
    mutating func value(_ names: String...) -> Node? {
        member(names).flatMap { $0.isNull ? nil : $0 }
    }

    /// A member that must be there.
    mutating func required(_ name: String) -> Node? {
        guard let node = member(name) else {
            findings.refuse(Place(line: place.line, path: place.member(name, line: 0).path), "is missing")
            return nil
        }
        return node
    }

    private mutating func member(_ names: [String]) -> Node? {
        guard let found = members.first(where: { names.contains($0.name) }) else { return nil }
        known.insert(found.name)
        return found.node
    }

    /// Refuses members that nobody asked for, since they are probably misspelt.
    func refuseOthers() {
        for (name, node) in members where !known.contains(name) {
            findings.refuse(node.place, "is not a member that is known here")
        }
    }

    /// Notes members that nobody asked for: a scheme can't say them.
    func noteOthers() {
        for (name, node) in members where !known.contains(name) && !node.isNull {
            findings.note(node.place, "left out: a scheme has no place for it")
        }
    }
}
