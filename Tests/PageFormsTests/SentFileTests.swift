import AdAttribution
import Encodings
import Testing

@testable import PageForms
@testable import PageRequests

@Suite("Files that a form carries")
struct SentFileTests {
    /// The file of a form, as a browser sends its text.
    private func sent(_ text: String, sha256: [UInt8]? = nil) throws -> SentFile {
        let fields = [("spend", text)] + (sha256.map { [("sha256", Hexadecimal.text($0))] } ?? [])
        return try #require(SentFile(PageForm(PageDraft(fields: fields, hasFiles: false)), "spend"))
    }

    @Test(
        "A text has the digest of the chosen file, if all lines of the file end alike",
        arguments: [("a\nb\n", true), ("a\r\nb\r\n", true), ("a\r\nb\n", false), ("a", true)])
    func digest(file: String, isSame: Bool) throws {
        let chosen = SHA256.digest(Array(file.utf8))
        // Browsers send each line end as CRLF.
        let text = file.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n")
        #expect((try sent(text, sha256: chosen).sha256 == chosen) == isSame)
    }

    @Test("A digest that is none of the text is not taken")
    func foreign() throws {
        let file = try sent("a\r\nb", sha256: SHA256.digest(Array("other".utf8)))
        #expect(file.sha256 == SHA256.digest(Array("a\nb".utf8)) && file.bytes == Array("a\nb".utf8))
    }

    @Test("A form without a text has no file")
    func size() throws {
        #expect(SentFile(PageForm(PageDraft(fields: [("spend", "")], hasFiles: false)), "spend") == nil)
        #expect(SentFile(nil, "spend") == nil)
    }
}
