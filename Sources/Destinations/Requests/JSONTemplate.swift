import StrictJSON

/// JSON of a destination's own, whose strings may have macros.
package indirect enum JSONTemplate: Sendable, Equatable {
    /// The members, in order.
    case object([AddedMember])
    /// The elements, in order.
    case array([JSONTemplate])
    /// A string with macros, without secrets.
    case string(RequestTemplate)
    /// The value of a macro without quotes: a number, `true` or `false`; `null` if it is missing.
    case number(Macro)
    /// JSON that stays as it is: a number, `true`, `false` or `null`.
    case literal(String)
}

/// A member of an object that a destination makes, or adds to a body.
package struct AddedMember: Sendable, Equatable {
    /// The name, without macros.
    package let name: String
    /// The value.
    package let value: JSONTemplate

    /// Takes both.
    package init(name: String, value: JSONTemplate) {
        self.name = name
        self.value = value
    }
}

extension JSONTemplate {
    /// Appends the JSON for an event.
    func append(to output: inout [UInt8], _ values: EventValues) throws(UnsendableEvent) {
        switch self {
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                try member.append(to: &output, values)
            }
            output.append(UInt8(ascii: "}"))
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                try element.append(to: &output, values)
            }
            output.append(UInt8(ascii: "]"))
        case .string(let template): JSONText.append(try template.plainText(values), to: &output)
        case .number(let macro): output += Array(try values.bareJSON(of: macro).utf8)
        case .literal(let json): output += Array(json.utf8)
        }
    }
}

extension AddedMember {
    /// Appends name and value for an event.
    func append(to output: inout [UInt8], _ values: EventValues) throws(UnsendableEvent) {
        JSONText.append(name, to: &output)
        output.append(UInt8(ascii: ":"))
        try value.append(to: &output, values)
    }
}
