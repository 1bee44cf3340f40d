import AdAttribution
import Money
import StrictJSON

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
        let findings = DocumentFindings()
        guard var reader = try DocumentNode(file: bytes, findings: findings).object() else {
            throw SchemeErrors(findings)
        }
        guard let draft = SchemeDraft(&reader) else {
            reader.refuseOthers()
            throw SchemeErrors(findings)
        }
        reader.refuseOthers()
        return try draft.checked(findings)
    }
}

extension DocumentNode {
    /// The root of a file: a scheme of ours, or that of another company.
    ///
    /// - Throws: What is not JSON.
    init(file bytes: [UInt8], findings: DocumentFindings) throws(SchemeErrors) {
        do throws(DocumentProblem) {
            try self.init(
                document: bytes, maximumSize: SchemeFile.maximumSize, maximumDepth: SchemeFile.maximumDepth,
                findings: findings)
        } catch {
            throw SchemeErrors([SchemeError(error.place, error.rule)])
        }
    }

    /// An amount of revenue.
    func revenue() -> Amount? {
        guard let number, let amount = Amount(number: number), amount <= RevenueRange.limit else {
            refuse(RevenueRange.rule)
            return nil
        }
        return amount
    }
}

extension DocumentFindings {
    /// - Throws: The problems, if there are any.
    func check() throws(SchemeErrors) {
        guard problems.isEmpty else { throw SchemeErrors(self) }
    }
}
