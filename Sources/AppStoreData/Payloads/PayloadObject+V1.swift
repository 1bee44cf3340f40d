import StrictJSON

/// Values of V1, which writes numbers and booleans as strings.
extension PayloadObject {
    /// An integer, or a string of digits; nil if it is missing or empty.
    func number(_ name: String, _ range: ClosedRange<Int64>) throws(SignedDataError) -> Int64? {
        guard let token = token(name) else { return nil }
        guard case .string(let text) = token else { return try integer(name, range) }
        let digits = string(text)
        guard !digits.isEmpty else { return nil }
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits), range.contains(number)
        else { throw wrong(name, "a number from \(range.lowerBound) to \(range.upperBound)", token) }
        return number
    }

    /// An id, which may be a number; nil if it is missing or empty.
    func identifier(_ name: String) throws(SignedDataError) -> String? {
        if case .integer(let integer)? = token(name) { return String(integer) }
        return try text(name)
    }

    /// True or false, also as a string or as 1 and 0; nil if it is missing or empty.
    func flag(_ name: String) throws(SignedDataError) -> Bool? {
        guard let token = token(name) else { return nil }
        let text =
            switch token {
            case .boolean(let flag): String(flag)
            case .integer(let integer): String(integer)
            case .string(let range): string(range)
            case .number, .null, .object, .array: "?"
            }
        switch text {
        case "true", "1": return true
        case "false", "0": return false
        case "": return nil
        default: throw wrong(name, "true or false", token)
        }
    }

    /// The environment that V1 states; nil if it is missing.
    ///
    /// Source: Apple. `responseBodyV1` has Sandbox or PROD, `unified_receipt` in it Sandbox or Production.
    func environmentV1(_ name: String) throws(SignedDataError) -> StoreEnvironment? {
        guard let text = try text(name) else { return nil }
        if text == "PROD" { return .production }
        guard let environment = StoreEnvironment(rawValue: text) else { throw wrongEnvironment(name, text) }
        return environment
    }
}
