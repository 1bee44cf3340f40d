/// A JSON value that is written for people: short containers on one line, the others with a line for each element.
///
/// The text depends on the value alone, so equal values have equal texts.
package indirect enum JSONDocument: Sendable {
    case object([(name: String, value: JSONDocument)])
    case array([JSONDocument])
    case string(String)
    case integer(Int64)
    /// A number that is JSON as it is.
    case number(String)
    case boolean(Bool)
    case null

    /// The greatest number of bytes of a line with a container in it.
    private static let width = 110

    /// The text with a line break at its end.
    package func text() -> [UInt8] {
        var output: [UInt8] = []
        append(to: &output, indentation: 0, column: 0)
        output.append(UInt8(ascii: "\n"))
        return output
    }

    private func append(to output: inout [UInt8], indentation: Int, column: Int) {
        var line: [UInt8] = []
        appendLine(to: &line)
        guard indentation == 0 || column + line.count > Self.width else { return output += line }
        switch self {
        case .object(let members) where !members.isEmpty:
            appendLines("{", "}", members.count, to: &output, indentation) { index, output in
                let start = output.count
                JSONText.append(members[index].name, to: &output)
                output += Array(": ".utf8)
                members[index].value.append(
                    to: &output, indentation: indentation + 2, column: indentation + 2 + output.count - start)
            }
        case .array(let elements) where !elements.isEmpty:
            appendLines("[", "]", elements.count, to: &output, indentation) { index, output in
                elements[index].append(to: &output, indentation: indentation + 2, column: indentation + 2)
            }
        default: output += line
        }
    }

    private func appendLines(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ count: Int, to output: inout [UInt8], _ indentation: Int,
        _ element: (Int, inout [UInt8]) -> Void
    ) {
        output.append(UInt8(ascii: open))
        for index in 0..<count {
            output.append(UInt8(ascii: "\n"))
            output += repeatElement(UInt8(ascii: " "), count: indentation + 2)
            element(index, &output)
            if index < count - 1 { output.append(UInt8(ascii: ",")) }
        }
        output.append(UInt8(ascii: "\n"))
        output += repeatElement(UInt8(ascii: " "), count: indentation)
        output.append(UInt8(ascii: close))
    }

    private func appendLine(to output: inout [UInt8]) {
        switch self {
        case .object(let members):
            output += Array((members.isEmpty ? "{" : "{ ").utf8)
            for (index, member) in members.enumerated() {
                if index > 0 { output += Array(", ".utf8) }
                JSONText.append(member.name, to: &output)
                output += Array(": ".utf8)
                member.value.appendLine(to: &output)
            }
            output += Array((members.isEmpty ? "}" : " }").utf8)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output += Array(", ".utf8) }
                element.appendLine(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .string(let text): JSONText.append(text, to: &output)
        case .integer(let integer): output += Array(String(integer).utf8)
        case .number(let text): output += Array(text.utf8)
        case .boolean(let flag): output += Array((flag ? "true" : "false").utf8)
        case .null: output += Array("null".utf8)
        }
    }
}
