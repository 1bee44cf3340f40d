@testable import AdAttribution

/// An impression as raw JSON members, to be changed one at a time.
struct ImpressionBody: Sendable {
    private(set) var members: [(key: String, json: String)]

    /// A 2.0 impression without its signature.
    static let version2 = ImpressionBody(members: [
        ("version", #""2.0""#), ("ad-network-id", #""example123.skadnetwork""#), ("campaign-id", "42"),
        ("itunes-item-id", "525463029"), ("nonce", #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e28""#),
        ("source-app-id", "1234567891"), ("timestamp", "1676057605705"),
    ])

    /// A 4.0 impression without its signature.
    static let version4 = ImpressionBody(members: [
        ("version", #""4.0""#), ("ad-network-id", #""example123.skadnetwork""#), ("source-identifier", "5239"),
        ("itunes-item-id", "525463029"), ("nonce", #""6aafb7a5-0170-41b5-bbe4-fe71dedf1e28""#),
        ("source-app-id", "1234567891"), ("fidelity-type", "1"), ("timestamp", "1676057605705"),
    ])

    /// The body of a version by its number.
    static func of(_ version: String) -> ImpressionBody {
        version == "2.0" ? version2 : version4
    }

    subscript(key: String) -> String? {
        members.first { $0.key == key }?.json
    }

    func setting(_ key: String, _ json: String) -> ImpressionBody {
        var copy = self
        if let index = members.firstIndex(where: { $0.key == key }) {
            copy.members[index].json = json
        } else {
            copy.members.append((key, json))
        }
        return copy
    }

    func removing(_ key: String) -> ImpressionBody {
        var copy = self
        copy.members.removeAll { $0.key == key }
        return copy
    }

    var text: String {
        "{" + members.map { #""\#($0.key)":\#($0.json)"# }.joined(separator: ",") + "}"
    }

    var bytes: [UInt8] { Array(text.utf8) }

    /// The impression, or the refusal.
    func impression() throws -> Impression {
        try Impression(ImpressionParameters(json: bytes))
    }

    /// The refusal of the impression, or nil where it is one.
    var refusal: FieldError? {
        do {
            _ = try impression()
            return nil
        } catch let error as FieldError {
            return error
        } catch ImpressionError.field(let error) {
            return error
        } catch {
            return FieldError(field: "json", rule: "\(error)")
        }
    }
}
