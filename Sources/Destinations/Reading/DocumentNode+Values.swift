import StrictJSON

extension DocumentNode {
    /// A string that is one of a few.
    func choice<Value: RawRepresentable<String> & CaseIterable>(_: Value.Type = Value.self) -> Value? {
        let names = Value.allCases.map(\.rawValue)
        let rule = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
        return text(rule) { Value(rawValue: $0) }
    }

    /// An array of different values, at least one, in order.
    func list<Value: Hashable>(atMost limit: Int = .max, _ read: (DocumentNode) -> Value?) -> [Value]? {
        guard let elements = array() else { return nil }
        guard (1...limit).contains(elements.count) else {
            refuse("an array with at least one element" + (limit == .max ? "" : " and at most \(limit)"))
            return nil
        }
        var values: [Value] = []
        var known: Set<Value> = []
        for element in elements {
            guard let value = read(element) else { continue }
            if known.insert(value).inserted {
                values.append(value)
            } else {
                findings.refuse(element.place, "stands twice in its array")
            }
        }
        return values
    }

    /// An integer in a range.
    func integer(in range: ClosedRange<Int>) -> Int? {
        integer("an integer from \(range.lowerBound) to \(range.upperBound)") { number in
            Int(exactly: number).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A duration, such as `5m`.
    func duration() -> Duration? { text(DurationText.rule) { DurationText.read($0) } }

    /// The name of a secret.
    ///
    /// The text is not part of a refusal, since it may be the secret itself.
    func secretName() -> SecretName? {
        guard case .string(let text) = json.value, let name = SecretName(text) else {
            findings.refuse(place, "must be \(SecretName.rule)")
            return nil
        }
        return name
    }

    /// A text with macros, and with secrets if they may stand here.
    ///
    /// The text is not part of a refusal, since it may be one that should have been a secret.
    func template(_ rule: String, mayHaveSecrets: Bool, _ isAllowed: (String) -> Bool) -> RequestTemplate? {
        guard case .string(let text) = json.value else {
            refuse("a string")
            return nil
        }
        guard !text.contains(DestinationPreset.placeholder) else {
            findings.refuse(place, "still has \(DestinationPreset.placeholder), where something is to be filled in")
            return nil
        }
        guard isAllowed(text) else {
            findings.refuse(place, "must be \(rule)")
            return nil
        }
        do throws(TemplateError) {
            let template = try RequestTemplate(text)
            guard mayHaveSecrets || template.secrets.isEmpty else {
                findings.refuse(place, "must not have a secret: secrets stand in the URL and in headers only")
                return nil
            }
            return template
        } catch {
            findings.refuse(place, error.rule)
            return nil
        }
    }
}

extension DocumentObject {
    /// A member that need not be there.
    ///
    /// - Returns: `value` if it is not there; nil if something is wrong with it.
    mutating func optional<Value>(_ name: String, else value: Value, _ read: (DocumentNode) -> Value?) -> Value? {
        guard let node = member(name) else { return value }
        return read(node)
    }
}
