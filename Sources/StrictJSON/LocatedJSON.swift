/// A JSON value of a file that people write, with the line that it stands on.
///
/// It is for small files whose refusals name a line. Bodies of postbacks are scanned without a tree.
package struct LocatedJSON: Sendable {
    /// The line of the value, from 1; of a member the line of its name.
    package let line: Int
    /// The value.
    package let value: Value

    /// The kinds of values.
    package indirect enum Value: Sendable {
        case string(String)
        /// An integer in canonical form that fits into 64 bits.
        case integer(Int64)
        /// Any other number, as it is written.
        case number(String)
        case boolean(Bool)
        case null
        /// The members in order; no name stands twice.
        case object([(name: String, value: LocatedJSON)])
        case array([LocatedJSON])
    }

    /// Reads a file that must be one JSON object.
    ///
    /// - Parameter maximumDepth: The greatest number of objects and arrays around a value.
    /// - Throws: The first rule that was broken.
    package init(object bytes: [UInt8], maximumDepth: Int) throws(LocatedJSONError) {
        let lines = LineTable(bytes)
        do throws(JSONError) {
            self = try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
                let builder = LocatedJSONBuilder(lines: lines, maximumDepth: maximumDepth)
                return try builder.document(buffer)
            }
        } catch {
            throw LocatedJSONError(
                line: lines.line(of: error.offset), rule: error.rule,
                name: error.rule == .duplicateKey ? Self.name(in: bytes, at: error.offset) : nil)
        }
    }

    init(line: Int, value: Value) {
        self.line = line
        self.value = value
    }

    /// The key that begins with the quotation mark at an offset.
    private static func name(in bytes: [UInt8], at offset: Int) -> String? {
        guard offset < bytes.count else { return nil }
        let text = bytes[(offset + 1)...].prefix { $0 != UInt8(ascii: "\"") }
        return String(validating: text, as: UTF8.self)
    }
}

/// Builds the tree from what the scanner finds.
///
/// The scanner has checked a container whole before its members are read. So a part of the bytes is scanned once for
/// each container around it.
private struct LocatedJSONBuilder {
    let lines: LineTable
    let maximumDepth: Int

    func document(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> LocatedJSON {
        let start = bytes.firstIndex(of: UInt8(ascii: "{")) ?? 0
        return LocatedJSON(line: lines.line(of: start), value: try object(bytes, offset: 0, depth: maximumDepth))
    }

    private func object(
        _ bytes: UnsafeBufferPointer<UInt8>, offset: Int, depth: Int
    ) throws(JSONError) -> LocatedJSON.Value {
        var tokens: [(name: JSONStringRange, token: JSONToken)] = []
        var scanner = JSONScanner(bytes, maximumDepth: depth)
        try scanner.scanDocument { (name, token) throws(JSONError) in tokens.append((name, token)) }
        var members: [(name: String, value: LocatedJSON)] = []
        for (name, token) in tokens {
            let value = try value(token, bytes, offset: offset, depth: depth)
            members.append(
                (JSONToken.text(bytes, name), LocatedJSON(line: lines.line(of: offset + name.start), value: value)))
        }
        return .object(members)
    }

    private func array(
        _ bytes: UnsafeBufferPointer<UInt8>, offset: Int, depth: Int
    ) throws(JSONError) -> LocatedJSON.Value {
        var tokens: [(token: JSONToken, range: Range<Int>)] = []
        var scanner = JSONScanner(bytes, maximumDepth: depth)
        try scanner.scanArrayDocument { (token, range) throws(JSONError) in tokens.append((token, range)) }
        var elements: [LocatedJSON] = []
        for (token, range) in tokens {
            let value = try value(token, bytes, offset: offset, depth: depth)
            elements.append(LocatedJSON(line: lines.line(of: offset + range.lowerBound), value: value))
        }
        return .array(elements)
    }

    private func value(
        _ token: JSONToken, _ bytes: UnsafeBufferPointer<UInt8>, offset: Int, depth: Int
    ) throws(JSONError) -> LocatedJSON.Value {
        switch token {
        case .string(let range): .string(JSONToken.text(bytes, range))
        case .integer(let integer): .integer(integer)
        case .number(let range): .number(String(decoding: bytes[range], as: UTF8.self))
        case .boolean(let flag): .boolean(flag)
        case .null: .null
        case .object(let range):
            try object(
                UnsafeBufferPointer(rebasing: bytes[range]), offset: offset + range.lowerBound, depth: depth - 1)
        case .array(let range):
            try array(
                UnsafeBufferPointer(rebasing: bytes[range]), offset: offset + range.lowerBound, depth: depth - 1)
        }
    }
}

/// Where the lines of a file begin.
private struct LineTable {
    private let starts: [Int]

    init(_ bytes: [UInt8]) {
        starts = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    }

    /// The number of the line of an offset, from 1.
    func line(of offset: Int) -> Int {
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return low + 1
    }
}

/// Why a file is not JSON as it is accepted, and where.
package struct LocatedJSONError: Error, Sendable, Equatable {
    /// The line of the wrong byte, from 1.
    package let line: Int
    /// The rule that was broken.
    package let rule: JSONError.Rule
    /// The name that stands twice, if that is the rule.
    package let name: String?
}
