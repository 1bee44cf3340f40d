import Logging
import StrictJSON

extension JSONWriter {
    /// Writes metadata as an object with sorted keys.
    mutating func metadata(_ metadata: Logger.Metadata) {
        object { writer in
            for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
                writer.member(key) { $0.metadataValue(value) }
            }
        }
    }

    /// Writes one value.
    ///
    /// Integers and booleans are written as such, other convertible values as strings.
    private mutating func metadataValue(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): string(text)
        case .stringConvertible(let flag as Bool): literal(flag ? "true" : "false")
        case .stringConvertible(let number as any FixedWidthInteger): literal(number.description)
        case .stringConvertible(let other): string(other.description)
        case .dictionary(let members): metadata(members)
        case .array(let elements):
            array { writer in
                for element in elements {
                    writer.element { $0.metadataValue(element) }
                }
            }
        }
    }
}
