/// An object as raw JSON members in their order, to be changed one at a time.
///
/// Values are JSON text: `42`, `"42"`, `true`.
protocol JSONObjectBody {
    var members: [(key: String, json: String)] { get set }
}

extension JSONObjectBody {
    subscript(key: String) -> String? {
        members.first { $0.key == key }?.json
    }

    /// With one member changed in its place, or added at the end.
    func setting(_ key: String, _ json: String) -> Self {
        var copy = self
        if let index = members.firstIndex(where: { $0.key == key }) {
            copy.members[index].json = json
        } else {
            copy.members.append((key, json))
        }
        return copy
    }

    /// The body with one member changed in its place or added at the end; without the member if there is no value.
    func setting(_ key: String, _ json: String?) -> Self {
        json.map { setting(key, $0) } ?? removing(key)
    }

    /// With a member at the end, whether or not its key is there already; the key is raw, between its quotes.
    func adding(_ key: String, _ json: String) -> Self {
        var copy = self
        copy.members.append((key, json))
        return copy
    }

    func removing(_ key: String) -> Self {
        var copy = self
        copy.members.removeAll { $0.key == key }
        return copy
    }

    var text: String {
        "{" + members.map { #""\#($0.key)":\#($0.json)"# }.joined(separator: ",") + "}"
    }

    var bytes: [UInt8] { Array(text.utf8) }
}
