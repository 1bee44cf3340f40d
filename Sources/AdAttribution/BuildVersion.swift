/// The version of this package, which both programs report.
package enum BuildVersion {
    /// The version, such as `0.2.0`.
    package static let current = "0.2.0"
}
