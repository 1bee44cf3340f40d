/// The entries of one line of a header, separated by commas, from the last to the first, without white space around.
///
/// The line is read from its right end, since the client may have written the left end. A quote that is never closed
/// there can't change how the entries of the proxies are read. Reading all entries takes time linear in the length of
/// the line.
struct ForwardedEntries: Sequence, IteratorProtocol {
    /// What is left of the line; nil at the end.
    private var rest: ArraySlice<UInt8>?
    private let mayHaveQuotes: Bool

    /// - Parameter mayHaveQuotes: Whether a comma between quotes belongs to the entry, as in RFC 7239.
    init(_ line: String, mayHaveQuotes: Bool) {
        rest = ArraySlice(line.utf8)
        self.mayHaveQuotes = mayHaveQuotes
    }

    mutating func next() -> ArraySlice<UInt8>? {
        guard let line = rest else { return nil }
        guard let comma = mayHaveQuotes ? line.lastUnquoted(.comma) : line.lastIndex(of: .comma) else {
            rest = nil
            return line.trimmed
        }
        rest = line[..<comma]
        return line[line.index(after: comma)...].trimmed
    }
}

extension ArraySlice<UInt8> {
    /// Without spaces and tabs at both ends.
    var trimmed: ArraySlice<UInt8> {
        var slice = drop { $0.isSpaceOrTab }
        while slice.last?.isSpaceOrTab == true { slice.removeLast() }
        return slice
    }

    /// The last place of a byte that has an even number of quotes to its right.
    fileprivate func lastUnquoted(_ byte: UInt8) -> Index? {
        var isQuoted = false
        for index in indices.reversed() {
            if self[index] == byte, !isQuoted { return index }
            if self[index] == .quote, !isEscaped(index) { isQuoted.toggle() }
        }
        return nil
    }

    /// Whether an odd number of backslashes stands before a byte.
    private func isEscaped(_ index: Index) -> Bool {
        var isEscaped = false
        for byte in self[..<index].reversed() as ReversedCollection {
            guard byte == .backslash else { break }
            isEscaped.toggle()
        }
        return isEscaped
    }
}
