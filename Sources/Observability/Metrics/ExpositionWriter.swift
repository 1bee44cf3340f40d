/// Lines of the Prometheus text format 0.0.4.
struct ExpositionWriter {
    /// The text so far.
    ///
    /// Every line ends with a newline.
    private(set) var text = ""

    /// Writes the header of a family.
    mutating func head(_ name: String, help: String, type: String) {
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
    }

    /// Writes one sample.
    /// - Parameter bound: The upper bound of a histogram's bucket, shown as the label `le`.
    mutating func sample(_ name: String, labels: LabelSet, bound: String? = nil, value: String) {
        text += name
        let shown = bound.map { labels.text + (labels.text.isEmpty ? "" : ",") + "le=\"\($0)\"" } ?? labels.text
        if !shown.isEmpty {
            text += "{\(shown)}"
        }
        text += " \(value)\n"
    }

    /// A number as Prometheus reads it, without a fraction if it is whole.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if abs(value) < 1e15, let whole = Int64(exactly: value) { return String(whole) }
        return value.description
    }

    /// A text with escapes for backslash, newline and, in label values, quotes.
    static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
