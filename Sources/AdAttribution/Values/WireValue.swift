/// A value that travels under one of Apple's wire names and is right by construction.
///
/// `rule` completes the sentence "must be …" and is what a refusal tells the sender.
public protocol WireValue: Sendable, Hashable {
    /// What the value must be, in words and with its range, for example `an integer from 1 to 100`.
    static var rule: String { get }
}

/// A wire value that JSON carries as an integer.
protocol IntegerWireValue: WireValue {
    init?(_ integer: Int64)
}

/// A wire value that JSON carries as a string.
protocol TextWireValue: WireValue {
    init?(_ text: String)

    /// The rule of the string, where it is another than that of the value's other forms.
    static var textRule: String { get }
}

extension TextWireValue {
    static var textRule: String { rule }
}
