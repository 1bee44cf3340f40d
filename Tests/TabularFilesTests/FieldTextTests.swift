import TabularFiles
import Testing

@Suite("Texts that fields of several tables have")
struct FieldTextTests {
    @Test(
        "A name may have any letters, and characters that join them",
        arguments: [
            "a", " a ", "“quoted”; =1+1", "کتاب\u{200C}خوان", "👩\u{200D}🍳 Cook", String(repeating: "é", count: 100),
        ])
    func names(_ text: String) {
        #expect(FieldText.name(text) == text)
    }

    @Test(
        "A name has at most 200 bytes, is not of blanks alone, and does not change what a terminal shows",
        arguments: [
            "", " ", "\u{A0}\u{2003}", "a\tb", "a\nb", "a\u{1B}[2J", "a\u{85}", "a\u{2028}b", "a\u{2029}b",
            "a\u{202E}b",
            "\u{2066}a", "a\u{200F}", String(repeating: "é", count: 101),
        ])
    func refused(_ text: String) {
        #expect(FieldText.name(text) == nil)
    }
}
