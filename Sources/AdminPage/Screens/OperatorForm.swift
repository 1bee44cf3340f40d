import AdAttribution
import CampaignData
import ConversionSchemes
import PostgresClient
import TabularFiles

/// The fields of a form that an operator sent, read with the rules of the command line.
struct OperatorForm {
    private let fields: PageForm?
    /// What was wrong so far.
    private(set) var errors: [PageError] = []

    /// Takes the fields; nil if none were sent.
    init(_ fields: PageForm? = nil) {
        self.fields = fields
    }

    /// What the button says.
    var action: String { fields?["do"] ?? "" }

    /// The text of a field; empty if it is not there.
    func field(_ name: String) -> String { fields?[name] ?? "" }

    /// The text of a file that was sent or pasted.
    func text(_ name: String) -> String { String(decoding: fields?.file(name) ?? [], as: UTF8.self) }

    /// A field that may be empty.
    mutating func optional<Value>(_ name: String, _ rule: String, _ read: (String) -> Value?) -> Value? {
        guard let text = fields?[name], !text.isEmpty else { return nil }
        if let value = read(text) { return value }
        errors.append(PageError("“\(name)” must be \(rule), not “\(text.prefix(60))”."))
        return nil
    }

    /// A field that must be there.
    mutating func required<Value>(_ name: String, _ rule: String, _ read: (String) -> Value?) -> Value? {
        guard fields?[name]?.isEmpty == false else {
            errors.append(PageError("“\(name)” is missing; it must be \(rule)."))
            return nil
        }
        return optional(name, rule, read)
    }

    mutating func refuse(_ text: String) { errors.append(PageError(text)) }

    /// Reads a table, CSV or NDJSON, and passes on each record with its line.
    ///
    /// - Throws: `TableRefusal`, or what `body` throws. A `TableProblem` of `body` is one of the table's.
    static func read<Record: TableRecord>(
        _ file: [UInt8], _ type: Record.Type, _ body: (Record, Int) throws -> Void
    ) throws {
        var reader = RecordReader<Record>()
        try reader.read(file, body)
        try reader.finish(body)
    }

    /// Runs a body with a file; what it refuses in words for people becomes an error of the form.
    ///
    /// - Returns: What was done; empty if it was refused, or if there is no file.
    /// - Throws: Everything else.
    mutating func reading(_ name: String, _ body: ([UInt8]) async throws -> [String]) async throws -> [String] {
        guard let file = fields?.file(name) else {
            refuse("Choose a file that is not empty, or paste its text.")
            return []
        }
        return try await refusing { try await body(file) }
    }

    /// Runs a body; what it refuses in words for people becomes an error of the form.
    ///
    /// - Returns: What was done; empty if it was refused.
    /// - Throws: Everything else.
    mutating func refusing(_ body: () async throws -> [String]) async throws -> [String] {
        do {
            return try await body()
        } catch let refusal as TableRefusal {
            errors += refusal.problems.map { PageError("\($0)") }
        } catch let error as AllocationError {
            refuse("Nothing was changed: \(error).")
        } catch let error as ChangedFileError {
            refuse("\(error)")
        } catch let refusal as SchemeRefusal {
            errors += refusal.problems.prefix(20).map { PageError("\($0)") }
        } catch let error as SchemeOverlap {
            refuse("\(error)")
        } catch let error as SchemeInUse {
            refuse("\(error)")
        }
        return []
    }
}
