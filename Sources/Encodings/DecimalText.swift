/// Integers in plain decimal, written without a string between.
package enum DecimalText {
    /// Appends an integer.
    @inlinable
    package static func append(_ integer: some BinaryInteger, to output: inout [UInt8]) {
        guard var rest = UInt64(exactly: integer) else {
            output.append(contentsOf: String(integer).utf8)
            return
        }
        // Twenty digits hold any of 64 bits.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
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
