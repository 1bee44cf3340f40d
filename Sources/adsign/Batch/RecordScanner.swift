import AdAttribution
import StrictJSON

/// Finds records inside JSON without reading what is in them.
enum RecordScanner {
    /// An array of records, each nested as deeply as a postback may be.
    private static let maximumDepth = Postback.maximumDepth + 1

    /// What keeps some bytes from being one JSON object, or nil where they are one.
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

    /// The elements of an array whose first byte is on the line of that number; where the array breaks off, all that
    /// is left of it is one more record, which is none.
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
