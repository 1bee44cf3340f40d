/// A JSON value of a document with its place.
///
/// It reads itself as a type, or adds to the findings what it must be.
package struct DocumentNode {
    /// The value.
    package let json: LocatedJSON
    /// Where it stands.
    package let place: DocumentPlace
    /// Where problems go.
    package let findings: DocumentFindings

    /// The root of a document that is one JSON object.
    ///
    /// - Parameters:
    ///   - maximumSize: The greatest number of bytes.
    ///   - maximumDepth: The greatest number of objects and arrays around a value.
    /// - Throws: Why it is too large, or not JSON.
    package init(
        document bytes: [UInt8], maximumSize: Int, maximumDepth: Int, findings: DocumentFindings
    ) throws(DocumentProblem) {
        guard bytes.count <= maximumSize else {
            throw DocumentProblem(DocumentPlace(line: 1, path: "file"), "must have at most \(maximumSize) bytes")
        }
        do throws(LocatedJSONError) {
            json = try LocatedJSON(object: bytes, maximumDepth: maximumDepth)
        } catch {
            let place = DocumentPlace(line: error.line, path: error.name.map(JSONText.shown) ?? "json")
            throw DocumentProblem(place, error.name == nil ? error.rule.rawValue : "stands twice in its object")
        }
        place = DocumentPlace(line: json.line, path: "")
        self.findings = findings
    }

    private init(_ json: LocatedJSON, _ place: DocumentPlace, _ findings: DocumentFindings) {
        self.json = json
        self.place = place
        self.findings = findings
    }

    /// Whether the value is `null`.
    package var isNull: Bool {
        if case .null = json.value { true } else { false }
    }

    /// Says that the value breaks a rule.
    package func refuse(_ rule: String) {
        findings.refuse(place, "must be \(rule)", value: shown)
    }

    /// The value as a refusal shows it.
    private var shown: String? {
        switch json.value {
        case .string(let text): JSONText.quoted(text)
        case .integer(let integer): String(integer)
        case .number(let text): text
        case .boolean(let flag): String(flag)
        case .null: "null"
        case .object: "an object"
        case .array: "an array"
        }
    }

    /// The members, if the value is an object.
    package func object() -> DocumentObject? {
        guard case .object(let members) = json.value else {
            refuse("an object")
            return nil
        }
        let nodes = members.map { name, value in
            (name, DocumentNode(value, place.member(JSONText.shown(name), line: value.line), findings))
        }
        return DocumentObject(place: place, members: nodes, findings: findings)
    }

    /// The elements, if the value is an array.
    package func array() -> [DocumentNode]? {
        guard case .array(let elements) = json.value else {
            refuse("an array")
            return nil
        }
        return elements.enumerated().map { DocumentNode($1, place.element($0, line: $1.line), findings) }
    }

    /// A string that stands for a value.
    package func text<Value>(_ rule: String, _ read: (String) -> Value?) -> Value? {
        guard case .string(let text) = json.value, let value = read(text) else {
            refuse(rule)
            return nil
        }
        return value
    }

    /// An integer that stands for a value.
    package func integer<Value>(_ rule: String, _ read: (Int64) -> Value?) -> Value? {
        guard case .integer(let integer) = json.value, let value = read(integer) else {
            refuse(rule)
            return nil
        }
        return value
    }

    /// True or false.
    package func boolean() -> Bool? {
        guard case .boolean(let flag) = json.value else {
            refuse("true or false")
            return nil
        }
        return flag
    }

    /// The text of a number, exactly as it is written; nil for other values.
    package var number: String? {
        switch json.value {
        case .integer(let integer): String(integer)
        case .number(let text): text
        default: nil
        }
    }
}
