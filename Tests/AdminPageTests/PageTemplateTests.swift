import AdminPage
import Testing

@Suite("Templates of the page")
struct PageTemplateTests {
    private func html(_ text: String) throws -> String {
        let frame = PageFrame(title: text, csrf: text, errors: [PageError(text, field: text)])
        let table = TableView(
            caption: text, headers: [TableHeader(text, isNumber: true, sortAddress: text, isDescending: true)],
            rows: [[TableCell(text, exact: text, link: text), TableCell(text, isHeader: true)]])
        let chart = ChartView(
            ChartData(id: text, title: text, places: [text], series: [.init(text, [1])], isIncomplete: [true]))
        let view = ReportView(
            frame, introduction: text,
            filters: FilterForm(
                action: text, selects: [SelectField(id: text, label: text, options: [(text, text)], chosen: text)],
                inputs: [InputField(id: text, label: text, isDay: true, content: text, isWrong: true)],
                hidden: [(text, text)]),
            tabs: [ScreenLink(name: text, address: text, isCurrent: true)], notices: [text],
            tiles: [Tile(text, text, remark: text)],
            figures: [
                FigureView(
                    id: text, heading: text, remark: text, chart: chart, table: table, advice: text, sql: text,
                    csv: text)
            ])
        return try PageTemplates().html(view)
    }

    @Test(
        "Markup in any text shows as text, also if a combining mark hides the special character",
        arguments: ["", "\u{301}", "\u{20DD}", "\u{200D}", "\u{FE0F}"])
    func markup(mark: String) throws {
        let hostile = "\"\(mark) onfocus=\"\(mark)x'\(mark)><\(mark)script>&\(mark)lt;`\(mark)"
        let page = try html(hostile)
        let plain = try html("plain")
        // Every special character of the page is one of the templates.
        for special in [UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'")] {
            #expect(page.utf8.count { $0 == special } == plain.utf8.count { $0 == special })
        }
        let escaped =
            "&quot;\(mark) onfocus=&quot;\(mark)x&#39;\(mark)&gt;&lt;\(mark)script&gt;&amp;\(mark)lt;&#96;\(mark)"
        #expect(page.contains(escaped))
    }

    @Test("Control characters become the replacement character, tabs and line ends stay")
    func controls() throws {
        let page = try html("a\u{0}b\u{1B}c\td\u{7F}")
        #expect(page.contains("a\u{FFFD}b\u{FFFD}c\td\u{FFFD}"))
        #expect(!page.utf8.contains(0) && !page.utf8.contains(0x1B))
    }

    @Test("A figure without rows shows its advice, and neither chart, table nor CSV")
    func empty() throws {
        let view = ReportView(
            PageFrame(title: "Screen"), introduction: "",
            figures: [
                FigureView(
                    id: "none", heading: "Nothing", remark: nil, chart: nil, table: nil, advice: "Do this.",
                    sql: "SELECT 1;",
                    csv: "/csv")
            ])
        let page = try PageTemplates().html(view)
        #expect(page.contains("<p class=\"advice\">Do this.</p>"))
        #expect(page.contains("<code>SELECT 1;</code>"))
        #expect(!page.contains("<table") && !page.contains("/csv") && !page.contains("class=\"chart\""))
    }
}
