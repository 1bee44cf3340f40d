import StrictJSON
import Testing

/// Files that people write: each mistake is found, with its place.
@Suite("Documents with places")
struct DocumentTests {
    private func root(_ text: String, _ findings: DocumentFindings, size: Int = 1_000) throws -> DocumentNode {
        try DocumentNode(document: Array(text.utf8), maximumSize: size, maximumDepth: 4, findings: findings)
    }

    private func shown(_ problem: DocumentProblem) -> String {
        "\(problem.place.line) \(problem.place.path): \(problem.rule)" + (problem.value.map { ", not \($0)" } ?? "")
    }

    @Test("Values of a wrong type, missing members and unknown ones are found with their places, all at once")
    func mistakes() throws {
        let findings = DocumentFindings()
        let text = """
            { "a": { "flag": 1, "list": [
              "x", 7 ] },
              "b": null, "c\\n": 2.50 }
            """
        var object = try #require(try root(text, findings).object())
        var inner = try #require(object.required("a")?.object())
        #expect(inner.member("flag")?.boolean() == nil)
        let elements = try #require(inner.member("list")?.array())
        #expect(elements.map { $0.text("a word") { $0 } } == ["x", nil])
        #expect(elements.map { $0.integer("a number") { $0 } } == [nil, 7])
        #expect(object.value("b") == nil)
        #expect(object.required("d") == nil)
        inner.refuseOthers()
        object.refuseOthers()
        #expect(
            findings.problems.map(shown) == [
                "1 a.flag: must be true or false, not 1", "2 a.list[1]: must be a word, not 7",
                "2 a.list[0]: must be a number, not \"x\"", "1 d: is missing",
                "3 c\\n: is not a member that is known here",
            ])
    }

    @Test("Numbers keep their text")
    func numbers() throws {
        var object = try #require(try root(#"{ "a": 2.50, "b": -7, "c": "1" }"#, DocumentFindings()).object())
        #expect(object.member("a")?.number == "2.50")
        #expect(object.member("b")?.number == "-7")
        #expect(object.member("c")?.number == nil)
    }

    @Test("Members that nobody asked for can be notes; each note stands once, and null is none")
    func notes() throws {
        let findings = DocumentFindings()
        let object = try #require(try root(#"{ "a": { "b": 1 }, "c": null }"#, findings).object())
        object.noteOthers("left out")
        object.noteOthers("left out")
        #expect(findings.notes.map { "\($0.place): \($0.text)" } == ["a: left out"])
        #expect(findings.problems.isEmpty)
    }

    @Test(
        "What is no JSON object, or too large, is refused at once",
        arguments: [
            ("{\n\"a\" 1}", "2 json: not valid JSON"), ("[1]", "1 json: must be a JSON object"),
            ("{\"a\": 1,\n\"a\": 2}", "2 a: stands twice in its object"),
            (#"{"a": [[[[]]]]}"#, "1 json: nested too deeply"),
            ("{\"a\": 1         }", "1 file: must have at most 16 bytes"),
        ])
    func refused(_ text: String, _ problem: String) throws {
        let refusal = try #require(throws: DocumentProblem.self) {
            _ = try root(text, DocumentFindings(), size: text.utf8.count == 17 ? 16 : 1_000)
        }
        #expect(shown(refusal) == problem)
    }
}
