/// Reads the members of one object of a document, and remembers which of them were asked for.
package struct DocumentObject {
    /// Where the object stands.
    package let place: DocumentPlace
    /// All members, in order.
    package let members: [(name: String, node: DocumentNode)]
    /// Where problems go.
    package let findings: DocumentFindings
    private var known: Set<String> = []

    init(place: DocumentPlace, members: [(String, DocumentNode)], findings: DocumentFindings) {
        self.place = place
        self.members = members
        self.findings = findings
    }

    /// The first member that has one of these names; nil if there is none.
    package mutating func member(_ names: String...) -> DocumentNode? {
        member(names)
    }

    /// The same without `null`, which some formats write for a member that is not set.
    package mutating func value(_ names: String...) -> DocumentNode? {
        member(names).flatMap { $0.isNull ? nil : $0 }
    }

    /// A member that must be there.
    package mutating func required(_ name: String) -> DocumentNode? {
        guard let node = member(name) else {
            findings.refuse(place.member(name, line: place.line), "is missing")
            return nil
        }
        return node
    }

    private mutating func member(_ names: [String]) -> DocumentNode? {
        guard let found = members.first(where: { names.contains($0.name) }) else { return nil }
        known.insert(found.name)
        return found.node
    }

    /// Refuses members that nobody asked for, since they are probably misspelt.
    package func refuseOthers() {
        for (name, node) in members where !known.contains(name) {
            findings.refuse(node.place, "is not a member that is known here")
        }
    }

    /// Notes members that nobody asked for and that are not null.
    ///
    /// - Parameter text: What happens to them.
    package func noteOthers(_ text: String) {
        for (name, node) in members where !known.contains(name) && !node.isNull {
            findings.note(node.place, text)
        }
    }
}
