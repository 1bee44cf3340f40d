/// Writes whole log lines.
///
/// Each call is one line with its newline.
package typealias LogSink = @Sendable ([UInt8]) -> Void
