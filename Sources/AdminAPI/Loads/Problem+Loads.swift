import AdAttribution
import CampaignData
import ConversionSchemes
import TabularFiles

extension Problem {
    /// The most mistakes of a file that are told.
    private static let mistakes = 20

    /// What stands against a load, or against taking one back, as a problem; any other error as it is.
    static func refusal(_ error: any Error) -> any Error {
        switch error {
        case let error as TableErrors:
            return wrong(error.errors.map { (line: $0.line, field: $0.field, rule: $0.rule) })
        case let error as SchemeErrors:
            return wrong(error.errors.map { (line: $0.line, field: $0.error.field, rule: $0.error.rule) })
        case let error as SchemeOverlap:
            return Problem(
                .conflict, field: "valid-from",
                rule: "must not overlap with the stored scheme of the app that is valid \(error.present.shown)")
        case is SchemeInUse:
            return Problem(
                .conflict, field: "valid-from",
                rule: "must not be that of a stored scheme with another text that is in use: it can't be edited, only "
                    + "followed by another scheme")
        case let error as ChangedLoad:
            return Problem(.conflict, field: "confirmation", rule: "must be that of a new dry run: \(error)")
        case let error as TakeBackError:
            switch error {
            case .none, .unknown:
                return Problem(.notFound, field: "load", rule: "must be the number of a load of this kind")
            default: return Problem(.conflict, field: "load", rule: "\(error)")
            }
        default: return error
        }
    }

    /// The first mistake of a file by its field, and all others in the rule, each with its line.
    private static func wrong(_ mistakes: [(line: Int, field: String?, rule: String)]) -> Problem {
        let texts = mistakes.prefix(Self.mistakes).enumerated().map { place, mistake in
            let field = place == 0 ? nil : mistake.field
            return (["line \(mistake.line)", field].compactMap(\.self) + [mistake.rule]).joined(separator: ": ")
        }
        return Problem(
            .invalidBody, field: mistakes.first?.field ?? "body", rule: texts.joined(separator: "; "))
    }
}
