import AdAttribution
import AdminAPI
package import AuditTrail
package import CampaignData
import ConversionSchemes
import Destinations
package import PageRequests
package import PageViews
package import PostbackStore
import PostgresClient
import TabularFiles

/// The fields of a form that an operator sent, read with the rules of the command line.
package struct OperatorForm {
    /// The most characters of a wrong line that are shown.
    private static let excerptSize = 120

    private let fields: PageForm?
    /// Whether it was sent before the session had ended, and is shown again.
    private let isDraft: Bool
    /// What was wrong so far.
    package private(set) var errors: [PageError] = []
    /// What the page calls fields, by their names; errors say this.
    package var labels: [String: String] = [:]

    /// Takes the fields that were sent.
    package init(_ fields: PageForm) {
        self.fields = fields
        isDraft = false
    }

    /// Takes what was typed before the session had ended; nil if nothing was.
    package init(_ draft: PageDraft?) {
        fields = draft.map { PageForm($0) }
        isDraft = draft != nil
    }

    /// What must be shown again; nil if there is nothing, or if it was done.
    package var sent: SentForm? {
        guard let fields, isDraft || !errors.isEmpty else { return nil }
        return SentForm(action: action, texts: fields.texts)
    }

    /// What the button says.
    package var action: String { fields?["do"] ?? "" }

    /// The text of a field; empty if it is not there.
    package func field(_ name: String) -> String { fields?[name] ?? "" }

    /// The text of a file that was sent or pasted.
    package func text(_ name: String) -> String { String(decoding: fields?.file(name) ?? [], as: UTF8.self) }

    /// A field that may be empty.
    package mutating func optional<Value>(_ name: String, _ rule: String, _ read: (String) -> Value?) -> Value? {
        guard let text = fields?[name], !text.isEmpty else { return nil }
        if let value = read(text) { return value }
        refuse("“\(label(name))” must be \(rule), not “\(text.prefix(60))”.", field: name)
        return nil
    }

    /// A field that must be there.
    package mutating func required<Value>(_ name: String, _ rule: String, _ read: (String) -> Value?) -> Value? {
        guard fields?[name]?.isEmpty == false else {
            refuse("“\(label(name))” is missing; it must be \(rule).", field: name)
            return nil
        }
        return optional(name, rule, read)
    }

    /// What the page calls a field.
    package func label(_ name: String) -> String { labels[name] ?? name }

    /// Adds what is wrong, and with which field.
    package mutating func refuse(_ text: String, field: String) { errors.append(PageError(text, field: field)) }

    /// Whether nothing was wrong with a field so far.
    package func isGood(_ field: String) -> Bool { !errors.contains { $0.field == field } }

    /// Runs a body with a file; what it refuses in words for people becomes an error of the form.
    ///
    /// - Returns: What was done; empty if it was refused, or if there is no file.
    /// - Throws: Everything else.
    package mutating func reading(_ name: String, _ body: ([UInt8]) async throws -> [String]) async throws -> [String] {
        guard let file = fields?.file(name) else {
            refuse("Choose a file that is not empty, or paste its text.", field: name)
            return []
        }
        return try await refusing(name, in: file) { try await body(file) }
    }

    /// Loads a file, or asks first.
    ///
    /// A load that only adds rows is done at once. One that would change or remove rows is
    /// shown first. It is done when the form says so, and only if it would still do the same.
    ///
    /// - Parameters:
    ///   - name: The field with the file.
    ///   - isReplacing: Whether rows are removed that the file does not have.
    ///   - keyRing: The networks of the key ring, without suffix; others may be misspelled.
    /// - Returns: What was done; nothing if it was refused, or if there is no file.
    /// - Throws: `Problem` if the form was changed on the way; everything that is no refusal in words for people.
    package mutating func loading(
        _ name: String, _ kind: LoadKind, replacing isReplacing: Bool = false, into store: PostbackStore,
        keyRing: Set<String> = [], by actor: TrailActor
    ) async throws -> LoadAnswer {
        guard let sent = SentFile(fields, name) else {
            refuse("Choose a file that is not empty, or paste its text.", field: name)
            return .done([])
        }
        var shown: LoadConfirmation?
        if let text = fields?["plan"] {
            guard let confirmation = LoadConfirmation(text) else {
                throw Problem(.invalidBody, field: "plan", rule: "must be that of the page that asks")
            }
            shown = confirmation
        }
        let source = LoadSource(
            actor, [LoadedFile(name: "loaded on the page", sha256: sent.sha256)])
        var question: LoadQuestion?
        let done = try await refusing(name, in: sent.bytes) {
            do {
                let file = try OperatorFile(kind, sent.bytes, replacing: isReplacing)
                switch try await store.loadOrAsk(file, from: source, shown: shown, keyRing: keyRing) {
                case .unchanged(let load):
                    return ["Nothing was loaded: the file changes nothing."] + load.remarks
                case .asks(let load):
                    question = LoadQuestion(load.outcome, sent, remarks: load.remarks)
                    return []
                case .stored(let load):
                    let outcome = load.outcome
                    return [
                        "Loaded: \(outcome.changes.text). It is load \(outcome.load), and can be taken back below."
                    ] + load.remarks
                }
            } catch let error as ChangedLoad {
                if !error.now.changes.isEmpty { question = LoadQuestion(error.now, sent) }
                throw error
            }
        }
        return question.map(LoadAnswer.asks) ?? .done(done)
    }

    /// Takes a load back that the form names.
    ///
    /// - Returns: What was done; empty if it was refused.
    package mutating func takingBack(
        _ kinds: [LoadKind], of store: PostbackStore, by actor: TrailActor
    ) async throws -> [String] {
        guard let kind = fields?["kind"].flatMap({ LoadKind(rawValue: $0) }), kinds.contains(kind),
            let number = fields?["load"].flatMap({ Int64($0) })
        else {
            throw Problem(.invalidBody, field: "load", rule: "must be a load of this screen")
        }
        return try await refusing("load") {
            let load = try await store.takeBack(kind, number, by: actor)
            return ["Load \(load.load) was taken back. It had been: \(load.changes.text)."]
        }
    }

    /// Runs a body; what it refuses in words for people becomes an error of a field.
    ///
    /// - Parameter file: What is in the field, if errors name a line of it.
    /// - Returns: What was done; empty if it was refused.
    /// - Throws: Everything else.
    package mutating func refusing(
        _ field: String, in file: [UInt8] = [], _ body: () async throws -> [String]
    ) async throws -> [String] {
        do {
            return try await body()
        } catch let refusal as TableErrors {
            refuse(refusal.errors.map { ("\($0)", $0.line) }, field, file)
        } catch let error as AllocationError {
            refuse("Nothing was changed: \(error).", field: field)
        } catch let error as ChangedFileError {
            refuse("\(error)", field: field)
        } catch let refusal as SchemeErrors {
            refuse(refusal.errors.prefix(20).map { ("\($0)", $0.line) }, field, file)
        } catch let refusal as DestinationProblems {
            refuse(refusal.problems.prefix(20).map { ("\($0)", $0.line) }, field, file)
        } catch let error as SchemeOverlap {
            refuse("\(error)", field: field)
        } catch let error as SchemeInUse {
            refuse("\(error)", field: field)
        } catch let error as ChangedLoad {
            refuse("Nothing was loaded: \(error).", field: field)
        } catch let error as TakeBackError {
            refuse("Nothing was taken back: \(error).", field: field)
        }
        return []
    }

    /// Adds what is wrong in lines of a file.
    private mutating func refuse(_ problems: [(text: String, line: Int)], _ field: String, _ file: [UInt8]) {
        let lines = Self.lines(Set(problems.map(\.line)), of: file)
        errors += problems.map { PageError($0.text, field: field, excerpt: lines[$0.line]) }
    }

    /// The beginnings of some lines of a file, by their numbers from 1.
    private static func lines(_ numbers: Set<Int>, of file: [UInt8]) -> [Int: String] {
        var lines: [Int: String] = [:]
        var (rest, number) = (file[...], 1)
        while !rest.isEmpty, lines.count < numbers.count {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            if numbers.contains(number) {
                // No character has more bytes.
                let bytes = rest[..<end].prefix(4 * excerptSize)
                lines[number] = String(String(decoding: bytes, as: UTF8.self).prefix(excerptSize))
            }
            (rest, number) = (rest[end...].dropFirst(), number + 1)
        }
        return lines
    }
}
