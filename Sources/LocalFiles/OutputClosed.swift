/// The reader of standard output has closed it, as `head` does when it has enough.
///
/// The program then ends without a message and with exit code 0.
package struct OutputClosed: Error, Sendable {
    /// The error of standard output that was closed.
    package init() {}
}
