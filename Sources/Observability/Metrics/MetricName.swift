/// Names as Prometheus wants them.
enum MetricName {
    /// The family's name: valid characters, and the ending that its kind asks for, not twice.
    static func family(_ label: String, kind: MetricKind) -> String {
        let name = sanitised(label, colons: true)
        return name.hasSuffix(kind.suffix) ? name : name + kind.suffix
    }

    /// A name with everything outside `[a-zA-Z0-9_]` (and `:` where allowed) as `_`, and no digit in front.
    static func sanitised(_ name: String, colons: Bool) -> String {
        var valid = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "_": valid.unicodeScalars.append(scalar)
            case "0"..."9": valid += valid.isEmpty ? "_\(scalar)" : "\(scalar)"
            case ":" where colons: valid += ":"
            default: valid += "_"
            }
        }
        return valid.isEmpty ? "_" : valid
    }
}
