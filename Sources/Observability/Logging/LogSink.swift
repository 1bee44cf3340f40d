/// Where whole log lines go; each call is one line with its newline.
package typealias LogSink = @Sendable ([UInt8]) -> Void
