import AdAttribution
import StrictJSON

/// Finds records inside JSON without reading their members.
enum RecordScanner {
    /// The depth of an array of postbacks.
    private static let maximumDepth = Postback.maximumDepth + 1

    /// Why some bytes are not one JSON object; nil if they are.
    static func problem(_ bytes: [UInt8]) -> JSONError? {
        bytes.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(buffer, maximumDepth: Postback.maximumDepth)
            do throws(JSONError) {
                try scanner.scanDocument { (_, _) throws(JSONError) in }
                return nil
            } catch {
                return error
            }
        }
    }

    /// The elements of an array.
    ///
    /// If the array is not valid JSON, the rest of it is one more record, which is not valid.
    ///
    /// - Parameter line: The number of the line with the first byte.
    static func elements(_ bytes: [UInt8], line: Int) -> RecordChunk {
        var ranges: [Range<Int>] = []
        bytes.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(buffer, maximumDepth: maximumDepth)
            do throws(JSONError) {
                try scanner.scanArrayDocument { (_, range) throws(JSONError) in ranges.append(range) }
            } catch {
                ranges.append(min(error.offset, bytes.count)..<bytes.count)
            }
        }
        var position = 0
        var line = line
        var records: [RecordChunk.Record] = []
        for range in ranges {
            line += bytes[position..<range.lowerBound].count { $0 == UInt8(ascii: "\n") }
            position = range.lowerBound
            records.append(RecordChunk.Record(line: line, range: range))
        }
        return RecordChunk(bytes: bytes, records: records)
    }
}
