import AdAttribution
import StrictJSON

/// What the member `body` may be.
private enum BodyKind: String, CaseIterable {
    case raw, enriched, template, none
}

extension DestinationBody {
    /// Reads `body`, `add` and `template`; nil if something is wrong with them.
    ///
    /// - Parameters:
    ///   - method: A GET has no body.
    ///   - events: A conflict has no stored body.
    static func read(
        _ reader: inout DocumentObject, method: DestinationMethod, events: Set<ForwardedEvent.Kind>
    ) -> DestinationBody? {
        let node = reader.required("body")
        let kind = node?.choice(BodyKind.self)
        let added = addedMembers(&reader, isNeeded: kind == .enriched)
        let template = jsonTemplate(&reader, isNeeded: kind == .template)
        guard let node, let kind else { return nil }
        if method == .get, kind != .none {
            node.findings.refuse(node.place, "must be none, since the method is GET")
        }
        if events.contains(.conflict), kind == .raw || kind == .enriched {
            node.findings.refuse(node.place, "must be template or none, since the event conflict has no body")
        }
        return switch kind {
        case .raw: .raw
        case .enriched: added.map { .enriched($0) }
        case .template: template.map { .template($0) }
        case .none: DestinationBody.none
        }
    }

    private static func addedMembers(_ reader: inout DocumentObject, isNeeded: Bool) -> [AddedMember]? {
        guard let node = member("add", of: "enriched", in: &reader, isNeeded: isNeeded),
            let object = node.object()
        else { return nil }
        if object.members.isEmpty { node.refuse("an object with at least one member") }
        return object.members.compactMap { name, node in
            if PostbackVersions.apple.hasBodyField(named: name) {
                node.findings.refuse(node.place, "is a field of Apple's, which bodies have already")
            }
            return JSONTemplate.read(node).map { AddedMember(name: name, value: $0) }
        }
    }

    private static func jsonTemplate(_ reader: inout DocumentObject, isNeeded: Bool) -> JSONTemplate? {
        member("template", of: "template", in: &reader, isNeeded: isNeeded).flatMap(JSONTemplate.read)
    }

    /// A member that one kind of body needs, and that no other kind may have.
    private static func member(
        _ name: String, of kind: String, in reader: inout DocumentObject, isNeeded: Bool
    ) -> DocumentNode? {
        guard !isNeeded else { return reader.required(name) }
        guard let node = reader.member(name) else { return nil }
        node.findings.refuse(node.place, "must not stand here: only the body \(kind) has it")
        return node
    }
}

extension JSONTemplate {
    /// The name in `{ "number": "{received-seconds}" }`.
    private static let numberName = "number"

    /// Reads any JSON whose strings may have macros; nil if something is wrong with it.
    static func read(_ node: DocumentNode) -> JSONTemplate? {
        switch node.json.value {
        case .string: node.template("a string", mayHaveSecrets: false) { _ in true }.map { .string($0) }
        case .integer(let integer): .literal(String(integer))
        case .number(let text): .literal(text)
        case .boolean(let flag): .literal(flag ? "true" : "false")
        case .null: .literal("null")
        case .array: node.array().map { elements in .array(elements.compactMap(read)) }
        case .object: node.object().flatMap(read)
        }
    }

    private static func read(_ object: DocumentObject) -> JSONTemplate? {
        if object.members.count == 1, object.members[0].name == numberName {
            return number(object.members[0].node).map { .number($0) }
        }
        return .object(
            object.members.compactMap { name, node in
                read(node).map { AddedMember(name: name, value: $0) }
            })
    }

    /// One macro alone, whose value is written without quotes.
    private static func number(_ node: DocumentNode) -> Macro? {
        let macro = node.text("one macro alone, such as \"{received-seconds}\"") { text -> Macro? in
            guard text.hasPrefix("{"), text.hasSuffix("}") else { return nil }
            return Macro(rawValue: String(text.dropFirst().dropLast()))
        }
        guard let macro else { return nil }
        guard !macro.isAlwaysText else {
            // Each event that has a value would be a dead letter.
            node.refuse("a macro whose value may be a number, true or false")
            return nil
        }
        return macro
    }
}
