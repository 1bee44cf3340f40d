import AdminAPI
import Hummingbird
import NIOCore

/// The fields of a form that a browser sent.
package struct PageForm: Sendable {
    /// The greatest number of bytes of a form: some have a file.
    static let greatestSize = 1_048_576

    /// The greatest number of bytes of the answer to a question.
    ///
    /// It carries the text of a file that a form had. Browsers send each line end of it as two bytes.
    package static let greatestAnswerSize = 2 * greatestSize + 4_096

    /// What a browser adds to the name of a field for its file.
    private static let fileSuffix = "-file"

    /// The fields that forms carry, and nobody types.
    private static let carried: Set = ["csrf", "kind", "load", "plan", "sha256"]

    private let fields: [String: [UInt8]]

    /// The form of a draft.
    package init(_ draft: PageDraft) {
        fields = Dictionary(draft.fields.map { ($0.name, Array($0.value.utf8)) }) { first, _ in first }
    }

    /// Reads the body of a request, `multipart/form-data` or else `application/x-www-form-urlencoded`.
    ///
    /// - Parameter limit: The greatest number of bytes; nil for that of forms with a file and of answers to questions.
    /// - Throws: `bodyTooLarge`, `invalidBody`, `invalidParameter`.
    init(_ request: Request, upTo limit: Int? = nil) async throws {
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: limit ?? Self.greatestAnswerSize)
        } catch is NIOTooManyBytesError {
            throw Problem.bodyTooLarge(limit: limit ?? Self.greatestSize)
        }
        if let boundary = try MultipartForm.boundary(request.headers[.contentType]) {
            fields = try MultipartForm(Array(body.readableBytesView), boundary: boundary).contents
        } else {
            let pairs = try FormPairs.read(body.readableBytesView, field: "form")
            fields = Dictionary(pairs.map { ($0.name, Array($0.value.utf8)) }) { first, _ in first }
        }
        let isAnswer = fields["plan"] != nil && plainSize <= Self.greatestSize - 256
        guard isAnswer || body.readableBytes <= Self.greatestSize else {
            throw Problem.bodyTooLarge(limit: Self.greatestSize)
        }
    }

    /// The number of bytes of what a draft keeps, with plain line ends.
    private var plainSize: Int {
        fields.filter { !Self.carried.contains($0.key) }.reduce(0) { size, field in
            size + field.value.count - zip(field.value, field.value.dropFirst()).count { $0 == (0x0D, 0x0A) }
        }
    }

    /// The text of a field; nil if it is not there.
    package subscript(_ name: String) -> String? { fields[name].map { String(decoding: $0, as: UTF8.self) } }

    /// The texts of all fields but files.
    package var texts: [String: String] {
        fields.filter { !$0.key.hasSuffix(Self.fileSuffix) }.mapValues { String(decoding: $0, as: UTF8.self) }
    }

    /// What was typed and chosen; nil if there is nothing but buttons.
    var draft: PageDraft? {
        let typed = texts.filter { !Self.carried.contains($0.key) }.sorted { $0.key < $1.key }
        let hasFiles = fields.contains { $0.key.hasSuffix(Self.fileSuffix) && !$0.value.isEmpty }
        guard hasFiles || typed.contains(where: { $0.key != "do" && !$0.value.isEmpty }) else { return nil }
        // As a file that is read from them, with plain line ends.
        return PageDraft(
            fields: typed.map { ($0.key, $0.value.replacing("\r\n", with: "\n")) }, hasFiles: hasFiles)
    }

    /// Whether it has all fields of a draft, so that it is the same form of the screen.
    func hasFields(of draft: PageDraft) -> Bool { draft.fields.allSatisfy { fields[$0.name] != nil } }

    /// The content of a file, or of the field in which its text was pasted; nil if both are empty.
    package func file(_ name: String) -> [UInt8]? {
        if let file = fields[name + Self.fileSuffix], !file.isEmpty { return file }
        let text = (self[name] ?? "").replacing("\r\n", with: "\n")
        return text.isEmpty ? nil : Array(text.utf8)
    }
}
