package import AdAttribution
import StrictJSON

/// Takes the body of a request with many impressions apart.
package enum ImpressionItems {
    /// The elements of an array; nil if the body is not an array.
    package static func items(of body: [UInt8]) throws(ImpressionError) -> [[UInt8]]? {
        do throws(JSONError) {
            return try body.withUnsafeBufferPointer { (bytes) throws(JSONError) in
                var scanner = JSONScanner(bytes, maximumDepth: 3)
                guard scanner.firstByte() == UInt8(ascii: "[") else { return nil }
                var items: [[UInt8]] = []
                try scanner.scanArrayDocument { (_, range) throws(JSONError) in items.append(Array(bytes[range])) }
                return items
            }
        } catch {
            throw .json(byteOffset: error.offset, rule: error.rule.rawValue)
        }
    }
}
