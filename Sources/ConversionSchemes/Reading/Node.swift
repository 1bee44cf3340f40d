import Money
import StrictJSON

/// A JSON value with its place.
///
/// It reads itself as a type, or says what it must be.
struct Node {
    let json: LocatedJSON
    let place: Place
    let findings: Findings

    /// The root of a file that is one JSON object.
    ///
    /// - Throws: What is not JSON.
    init(file bytes: [UInt8], findings: Findings) throws(SchemeErrors) {
        guard bytes.count <= SchemeFile.maximumSize else {
            throw SchemeErrors([
                SchemeError(Place(line: 1, path: "file"), "must have at most \(SchemeFile.maximumSize) bytes")
            ])
        }
        do throws(LocatedJSONError) {
            json = try LocatedJSON(object: bytes, maximumDepth: SchemeFile.maximumDepth)
        } catch {
            let place = Place(line: error.line, path: error.name.map(JSONText.shown) ?? "json")
            throw SchemeErrors([
                SchemeError(place, error.name == nil ? error.rule.rawValue : "stands twice in its object")
            ])
        }
        place = Place(line: json.line, path: "")
        self.findings = findings
    }

    private init(_ json: LocatedJSON, _ place: Place, _ findings: Findings) {
        self.json = json
        self.place = place
        self.findings = findings
    }

    var isNull: Bool {
        if case .null = json.value { true } else { false }
    }

    /// Says that the value breaks a rule.
    func refuse(_ rule: String) {
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

    func object() -> ObjectReader? {
        guard case .object(let members) = json.value else {
            refuse("an object")
            return nil
        }
        let nodes = members.map { name, value in
            (name, Node(value, place.member(JSONText.shown(name), line: value.line), findings))
        }
        return ObjectReader(place: place, members: nodes, findings: findings)
    }

    func array() -> [Node]? {
        guard case .array(let elements) = json.value else {
            refuse("an array")
            return nil
        }
        return elements.enumerated().map { Node($1, place.element($0, line: $1.line), findings) }
    }

    /// A string that stands for a value.
    func text<Value>(_ rule: String, _ read: (String) -> Value?) -> Value? {
        guard case .string(let text) = json.value, let value = read(text) else {
            refuse(rule)
            return nil
        }
        return value
    }

    /// An integer that stands for a value.
    func integer<Value>(_ rule: String, _ read: (Int64) -> Value?) -> Value? {
        guard case .integer(let integer) = json.value, let value = read(integer) else {
            refuse(rule)
            return nil
        }
        return value
    }

    func boolean() -> Bool? {
        guard case .boolean(let flag) = json.value else {
            refuse("true or false")
            return nil
        }
        return flag
    }

    /// The text of a number, exactly as it is written; nil for other values.
    var number: String? {
        switch json.value {
        case .integer(let integer): String(integer)
        case .number(let text): text
        default: nil
        }
    }

    /// An amount of revenue.
    func revenue() -> Amount? {
        guard let number, let amount = Amount(number: number), amount <= RevenueRange.limit else {
            refuse(RevenueRange.rule)
            return nil
        }
        return amount
    }
}
