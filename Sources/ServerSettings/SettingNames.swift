import StrictJSON

/// The names of the settings, and names that look like one and are none.
package enum SettingNames {
    /// The most unknown names of one source that are told.
    private static let told = 20
    /// The greatest number of bytes of a name that is compared with those of settings.
    private static let comparedLength = 64
    /// The setting that names a file with settings; it is in no file itself.
    static let file = "CONFIG_FILE"

    private static let variables = Settings.Key.allCases.map(\.environmentName) + [file]
    private static let members = Settings.Key.allCases.map(\.rawValue)

    /// What is wrong with the names in `.env`: lines of `NAME=value`, empty lines, and comments behind `#`.
    static func errors(ofVariables bytes: [UInt8]) -> [SettingsError] {
        guard !bytes.contains(UInt8(ascii: "\r")) else {
            return [SettingsError(key: ".env", rule: "has a carriage return; its lines must end with LF alone")]
        }
        let known = Set(variables)
        var rules: [String] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let text = trimmed(String(decoding: line, as: UTF8.self))
            guard !text.isEmpty, !text.hasPrefix("#") else { continue }
            guard let end = text.firstIndex(of: "=") else {
                rules.append("line \(index + 1): must be NAME=value")
                continue
            }
            let name = trimmed(String(text[..<end]))
            guard !known.contains(name) else { continue }
            let refusal = refusal(of: name, variables, isShown: isVariable(name))
            rules.append("line \(index + 1): \(refusal)")
        }
        return errors(".env", rules)
    }

    /// What is wrong with the names in the file of `CONFIG_FILE`.
    ///
    /// - Parameter path: The file, for people.
    static func errors(ofFile bytes: [UInt8], at path: String) -> [SettingsError] {
        let json: LocatedJSON
        do throws(LocatedJSONError) {
            json = try LocatedJSON(object: bytes, maximumDepth: 8)
        } catch {
            let reason = error.name.map { "\(JSONText.shown($0)) stands twice in its object" } ?? error.rule.rawValue
            return errors(file, ["\(path): line \(error.line): \(reason)"])
        }
        var rules: [String] = []
        check(json, at: "", &rules)
        return errors(file, rules.map { "\(path): \($0)" })
    }

    private static func check(_ json: LocatedJSON, at path: String, _ rules: inout [String]) {
        if case .object(let children) = json.value, !children.isEmpty || path.isEmpty {
            for (name, value) in children { check(value, at: path.isEmpty ? name : "\(path).\(name)", &rules) }
        } else if !members.contains(path) {
            rules.append("line \(json.line): \(refusal(of: path, members))")
        }
    }

    /// The variables that begin like a setting and are none, sorted, each with a sentence about it; 20 at most.
    ///
    /// `HTTP_PROXY` is a setting of other programs.
    package static func warnings(about environment: [String: String]) -> [String] {
        let known = Set(variables)
        let beginnings = Set(variables.compactMap { beginning(of: $0) })
        return environment.keys
            .filter { name in
                name != "HTTP_PROXY" && !known.contains(name)
                    && beginning(of: name).map { beginnings.contains($0) } == true
            }
            .sorted().prefix(told).map { "the environment: \(refusal(of: $0, variables))" }
    }

    /// What names of settings have in common.
    private static func beginning(of name: String) -> Substring? {
        // Names of many programs begin with APP_ or APPLE_.
        for (common, own) in [("APP_", "APP_STORE_"), ("APPLE_", "APPLE_ADS")] where name.hasPrefix(common) {
            return name.hasPrefix(own) ? own[...] : nil
        }
        return name.firstIndex(of: "_").map { name[...$0] }
    }

    private static func errors(_ key: String, _ rules: [String]) -> [SettingsError] {
        var errors = rules.prefix(told).map { SettingsError(key: key, rule: $0) }
        if rules.count > told {
            errors.append(SettingsError(key: key, rule: "\(rules.count - told) more names are no settings"))
        }
        return errors
    }

    /// Whether a text looks like the name of a variable.
    ///
    /// The last line of a key that somebody put into the file ends with `=` too, and is none.
    private static func isVariable(_ text: String) -> Bool {
        let name = text.hasPrefix("export ") ? text.dropFirst("export ".count) : text[...]
        return name.utf8.count <= 40
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// - Parameter isShown: Whether the name may be shown if none is near.
    private static func refusal(of name: String, _ names: [String], isShown: Bool = true) -> String {
        guard isShown || nearest(to: name, names) != nil else { return "what stands before “=” is no setting" }
        let shown = JSONText.shown(name)
        guard let near = nearest(to: name, names) else { return "\(shown) is no setting" }
        return "\(shown) is no setting; is \(near) meant?"
    }

    /// The name that differs in the fewest characters, if these are three at most and less than half of it.
    private static func nearest(to name: String, _ names: [String]) -> String? {
        guard name.utf8.count <= comparedLength else { return nil }
        let distances = names.map { (name: $0, distance: distance(Array(name.utf8), Array($0.utf8))) }
        guard let best = distances.min(by: { $0.distance < $1.distance }), best.distance <= 3,
            2 * best.distance < best.name.utf8.count
        else { return nil }
        return best.name
    }

    /// How many bytes must be changed, added or left out to get from one name to the other.
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var row = Array(0...other.count)
        for (index, byte) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for place in other.indices {
                let changed = diagonal + (byte == other[place] ? 0 : 1)
                diagonal = row[place + 1]
                row[place + 1] = min(changed, diagonal + 1, row[place] + 1)
            }
        }
        return row[other.count]
    }

    private static func trimmed(_ text: String) -> String {
        let start = text.drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
