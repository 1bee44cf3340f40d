import AdAttribution
import Money
import StrictJSON

extension SchemeDraft {
    /// Reads what it can; nil if the scheme has no app, name or beginning.
    init?(_ reader: inout DocumentObject) {
        let app = reader.required("app-id")?.integer(AppID.rule) { AppID($0) }
        let name = reader.required("name")?.text(SchemeName.rule, SchemeName.init)
        let begin = reader.required("valid-from")
        let from = begin?.text(SchemeTime.rule) { SchemeTime($0) }
        let to = reader.value("valid-to")
        let end = to?.text(SchemeTime.rule + ", or null") { SchemeTime($0) }
        let currency = reader.value("currency")?.text(CurrencyCode.rule, CurrencyCode.init)
        let hours = reader.value("measurement-window-hours")?
            .integer(ConversionScheme.measurementWindowRule) { HourRange(low: 1, high: $0)?.high }
        let fine = reader.member("fine")?.array()?.compactMap(Self.fineEntry) ?? []
        let bits = reader.member("bits")?.array()?.compactMap(Self.bitEntry) ?? []
        let windows = reader.member("windows")?.array() ?? []
        guard let app, let name, let from else {
            for node in windows { _ = Self.window(node) }
            return nil
        }
        self.init(appID: app, name: name, validFrom: from)
        place = reader.place
        validFromPlace = begin?.place
        validTo = end
        validToPlace = to?.place
        self.currency = currency
        measurementWindowHours = hours
        self.fine = fine
        self.bits = bits
        var seen: [Int: DocumentPlace] = [:]
        for node in windows {
            guard let (index, window, places) = Self.window(node) else { continue }
            if let other = seen.updateValue(node.place, forKey: index) {
                node.findings.refuse(node.place, "window \(index) stands in line \(other.line) already")
                continue
            }
            self.windows[index] = window
            self.places[index] = places
        }
    }

    private static func fineEntry(_ node: DocumentNode) -> FineEntry? {
        guard var reader = node.object() else { return nil }
        let values = reader.required("value").flatMap(fineValues)
        let meaning = Meaning(&reader)
        reader.refuseOthers()
        guard let values, let meaning else { return nil }
        return FineEntry(values: values, meaning: meaning, place: node.place)
    }

    /// `7`, or `"1-15"`.
    private static func fineValues(_ node: DocumentNode) -> ClosedRange<UInt8>? {
        let rule = "\(ConversionValue.rule), or a range of them such as \"1-15\""
        if case LocatedJSON.Value.integer = node.json.value {
            return node.integer(rule) { ConversionValue($0).map { $0.value...$0.value } }
        }
        return node.text(rule) { NumberRange.read($0, within: 0...63) }.map { range in
            UInt8(range.lowerBound)...UInt8(range.upperBound)
        }
    }
}
