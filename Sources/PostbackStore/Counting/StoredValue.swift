package import AdAttribution

/// A conversion value as one number, as in the tables.
///
/// Two values of one kind have the order of their numbers, and every value is higher than none.
package enum StoredValue {
    /// No value.
    package static let none: Int16 = -1

    /// The number of a value: -1 for none, 0 to 63 for a fine value, 101, 102, 103 for low, medium, high.
    package static func number(_ value: ReportedConversionValue) -> Int16 {
        switch value {
        case .none: none
        case .fine(let value): Int16(value.value)
        case .coarse(.low): 101
        case .coarse(.medium): 102
        case .coarse(.high): 103
        }
    }

    /// The value of a number; nil if no value has it.
    package static func value(_ number: Int16) -> ReportedConversionValue? {
        switch number {
        case none: ReportedConversionValue.none
        case 101: .coarse(.low)
        case 102: .coarse(.medium)
        case 103: .coarse(.high)
        default: ConversionValue(Int64(number)).map { .fine($0) }
        }
    }
}
