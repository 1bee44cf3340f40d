/// A column of a chart that says its numbers if somebody points at it, touches it or comes to it by the keyboard.
///
/// Charts have many. As cells of tables do, they write their HTML themselves.
struct ChartPlace: Sendable {
    let middle: String
    /// Where it leads; without a link it can have the focus of the keyboard all the same.
    let link: String?
    /// The place, and each number.
    let texts: [String]

    /// The place as a part of an SVG.
    ///
    /// - Parameters:
    ///   - box: The id of its area, and of the box behind its texts.
    ///   - textX: Where its texts begin or end.
    func html(box: String, textX: String) -> String {
        let escaping = PageEscaping()
        let label = escaping.escapeText(texts.joined(separator: ", "))
        let (name, start) =
            link.map { ("a", "a href=\"\(escaping.escapeText($0))\"") }
            ?? ("g", "g tabindex=\"0\" role=\"img\" aria-label=\"\(label)\"")
        let lines = texts.map { "<tspan x=\"\(textX)\" dy=\"1.25em\">\(escaping.escapeText($0))</tspan> " }.joined()
        return "<\(start) transform=\"translate(\(middle))\"><use href=\"#\(escaping.escapeText(box))\"></use>"
            + "<text y=\"8\">\(lines)</text></\(name)>"
    }
}
