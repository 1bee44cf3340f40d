extension String {
    /// The beginning of the text: whole scalars, at most so many bytes of UTF-8 together.
    ///
    /// It takes no more work than it gives bytes. A cut by characters would not: one character may have any number of
    /// combining marks.
    package func prefix(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: max(0, limit))
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(unicodeScalars[..<end])
    }
}
