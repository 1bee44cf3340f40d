/// Integers in plain decimal, written without a string between.
package enum DecimalText {
    /// Appends an integer.
    ///
    /// It is inlined, so that another module calls one of the two functions below and nothing generic.
    @inlinable
    package static func append(_ integer: some BinaryInteger, to output: inout [UInt8]) {
        if let magnitude = UInt64(exactly: integer) {
            append(magnitude: magnitude, to: &output)
        } else {
            append(text: String(integer), to: &output)
        }
    }

    /// Appends an integer of the type that fields have.
    package static func append(_ integer: Int64, to output: inout [UInt8]) {
        if integer < 0 { output.append(UInt8(ascii: "-")) }
        append(magnitude: integer.magnitude, to: &output)
    }

    @usableFromInline
    package static func append(text: String, to output: inout [UInt8]) {
        output.append(contentsOf: text.utf8)
    }

    @usableFromInline
    package static func append(magnitude: UInt64, to output: inout [UInt8]) {
        // Twenty digits hold any of 64 bits.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = magnitude
            var start = 20
            repeat {
                start -= 1
                digits[start] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            output.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }
}
