import AdAttribution

/// The file of a scheme: JSON, as `docs/schemes.md` describes it.
package enum SchemeFile {
    /// The greatest number of bytes of a file, in any format.
    package static let maximumSize = 1_048_576

    /// The greatest number of objects and arrays around a value.
    static let maximumDepth = 16

    /// Reads a file strictly, and makes all checks.
    ///
    /// An unknown member, a member that stands twice, a wrong type and a value out of range are refused.
    ///
    /// - Throws: All errors, up to a hundred; if the file is not JSON, the first one.
    package static func read(_ bytes: [UInt8]) throws(SchemeErrors) -> ConversionScheme {
        let findings = Findings()
        guard var reader = try Node(file: bytes, findings: findings).object() else {
            throw SchemeErrors(findings.errors)
        }
        guard let draft = SchemeDraft(&reader) else {
            reader.refuseOthers()
            throw SchemeErrors(findings.errors)
        }
        reader.refuseOthers()
        return try draft.checked(findings)
    }
}
