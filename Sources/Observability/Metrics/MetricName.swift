/// Makes names that Prometheus accepts.
enum MetricName {
    /// The family's name, with valid characters and the ending of its kind, once.
    static func family(_ label: String, kind: MetricKind) -> String {
        let name = sanitised(label, colons: true)
        return name.hasSuffix(kind.suffix) ? name : name + kind.suffix
    }

    /// A name in which all characters but `[a-zA-Z0-9_]` (and `:` if allowed) are `_`, and which begins with no digit.
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
