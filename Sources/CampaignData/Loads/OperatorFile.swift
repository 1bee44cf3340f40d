package import ConversionSchemes

/// A whole file of an operator, read and checked, as the page and the routes take it.
package enum OperatorFile: Sendable {
    /// Names of campaigns; and whether other rows of the networks that it names are removed.
    case mapping(CampaignMappingFile, isReplacing: Bool)
    /// Names of apps; and whether those of all other apps are removed.
    case appNames(AppNameFile, isReplacing: Bool)
    /// What ads cost: what was found in the file, and its bytes.
    case spend(SpendFileCheck, [UInt8])
    /// Currency rates.
    case rates(CurrencyRateFile)
    /// A conversion-value scheme.
    case scheme(ConversionScheme)

    /// Reads a file.
    ///
    /// - Parameter isReplacing: For names, whether rows are removed that the file does not have. Cost is always replaced.
    /// - Throws: `TableErrors`, or `SchemeErrors` for a scheme.
    package init(_ kind: LoadKind, _ file: [UInt8], replacing isReplacing: Bool = false) throws {
        self =
            switch kind {
            case .mapping: .mapping(try CampaignMappingFile(reading: file), isReplacing: isReplacing)
            case .appNames: .appNames(try AppNameFile(reading: file), isReplacing: isReplacing)
            case .spend: .spend(try SpendFileCheck(reading: file), file)
            case .rates: .rates(try CurrencyRateFile(reading: file))
            case .scheme: .scheme(try SchemeFile.read(file))
            }
    }
}
