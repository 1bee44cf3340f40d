import Foundation
import PageViews
import Testing

@Suite("Templates of the page")
struct PageTemplateTests {
    private func html(_ text: String) throws -> String {
        let frame = PageFrame(
            title: text, person: text, csrf: text, showsForms: true, errors: [PageError(text, field: text)])
        let view = ReportView(
            frame, back: PageLink(text, text), introduction: text,
            filters: FilterForm(
                action: text, selects: [SelectField(id: text, label: text, options: [(text, text)], chosen: text)],
                inputs: [TextField(id: text, label: text, isDay: true, content: text, suggestions: [text])],
                hidden: [Fact(text, text)], ranges: [PageLink(text, text, isCurrent: true)],
                shown: ShownDays(text, fixed: text),
                comparison: ComparisonForm(
                    chosen: text, action: text, hidden: [Fact(text, text)],
                    choices: [PageLink(text, text, isCurrent: true)],
                    day: TextField(id: text, label: text, isDay: true, content: text)),
                offer: FilterOffer(text, links: [PageLink(text, text)]), inForce: [text]),
            tabs: [PageLink(text, text, isCurrent: true)], notices: [text],
            actions: [
                FormView(
                    id: text, hint: text, target: text, csrf: text,
                    texts: [TextField(id: text, label: text, content: text)], buttons: [FormButton(text, text)])
            ],
            figures: [
                FigureView(
                    id: text, heading: text, remark: text,
                    tiles: [Tile(text, .init(text, exact: text), note: text, before: .init(text, exact: text))],
                    chart: ChartData(
                        name: text, places: [text], series: [.init(text, [1])], isIncomplete: [true], links: [text],
                        others: [ChartData(places: [text], series: [.init(text, [1])])]),
                    table: TableView(
                        caption: text,
                        headers: [TableHeader(text, isNumber: true, sortAddress: text, isDescending: true)],
                        rows: [[TableCell(text, exact: text, link: text), TableCell(text, isHeader: true)]],
                        footer: [[TableCell(text, isHeader: true), TableCell(text, exact: text)]],
                        tools: TableTools(
                            action: text, search: .init(content: text, hidden: [Fact(text, text)], all: text),
                            columns: [.init(name: text, label: text, isChosen: true)], hidden: [Fact(text, text)],
                            all: text)),
                    advice: text, sql: text, csv: text)
            ],
            forms: [
                FormView(
                    id: text, heading: text, hint: text, target: text, csrf: text,
                    texts: [TextField(id: text, label: text, content: text, isRequired: true)],
                    files: [TextField(id: text, label: text, content: text)], buttons: [FormButton(text, text)])
            ])
        return try PageTemplates().html(view)
    }

    @Test(
        "Markup in any text shows as text, also if a combining mark hides the special character",
        arguments: ["", "\u{301}", "\u{20DD}", "\u{200D}", "\u{FE0F}"])
    func markup(mark: String) throws {
        let hostile = "\"\(mark) onfocus=\"\(mark)x'\(mark)><\(mark)script>&\(mark)lt;`\(mark)"
        let page = try html(hostile)
        // As long as the other, and of several words too.
        let plain = try html(String(String(repeating: "plain ", count: 40).prefix(hostile.utf8.count)))
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
                    id: "none", heading: "Nothing",
                    chart: ChartData(places: ["a"], series: [.init("x", [1])]), headers: ["a"], rows: [],
                    advice: "Do this.", sql: "SELECT 1;", csv: "/csv")
            ])
        let page = try PageTemplates().html(view)
        #expect(page.contains("<p class=\"advice\">Do this.</p>"))
        #expect(page.contains("<code>SELECT 1;</code>"))
        #expect(!page.contains("<table") && !page.contains("/csv") && !page.contains("class=\"chart\""))
    }

    @Test("A search that finds nothing stays, with the advice; without a search an empty table has no forms")
    func emptySearch() throws {
        func page(_ search: TableTools.Search?) throws -> String {
            let tools = TableTools(action: "/x", search: search, columns: [], hidden: [], all: nil)
            let table = TableView(caption: "Figure", headers: ["a"], rows: [], tools: tools)
            let figure = FigureView(id: "f", heading: "Figure", table: table, advice: "Find something else.")
            return try PageTemplates().html(ReportView(PageFrame(title: "x"), introduction: "", figures: [figure]))
        }
        let found = try page(.init(content: "nobody", hidden: [], all: "/all"))
        #expect(found.contains("value=\"nobody\"") && found.contains("<a href=\"/all\">Show all rows</a>"))
        #expect(found.contains("Find something else."))
        #expect(!(try page(nil)).contains("<form"))
    }

    @Test(
        "The table of a chart is behind “Table and SQL”, other tables are open, and no box for scrolling is a landmark")
    func folded() throws {
        func page(_ chart: ChartData?, isTableOpen: Bool = false) throws -> String {
            let figure = FigureView(
                id: "f", heading: "Figure", chart: chart, isTableOpen: isTableOpen, headers: ["a"],
                rows: [[TableCell("a")]], advice: "", sql: "SELECT 1;", csv: "/csv")
            return try PageTemplates().html(ReportView(PageFrame(title: "x"), introduction: "", figures: [figure]))
        }
        let chart = ChartData(places: ["a"], series: [.init("x", [1])])
        let folded = try page(chart)
        func isBefore(_ first: String, _ second: String, in page: String) throws -> Bool {
            let (one, other) = (page.range(of: first)?.lowerBound, page.range(of: second)?.lowerBound)
            return try #require(one) < #require(other)
        }
        for open in [try page(nil), try page(chart, isTableOpen: true)] {
            #expect(try isBefore("<table>", "<details>", in: open) && open.contains("<summary>SQL<"))
        }
        #expect(try isBefore("<details>", "<table>", in: folded) && folded.contains("<summary>Table and SQL<"))
        #expect(!folded.contains("role=\"region\""))
    }

    @Test("Buttons about the whole screen stand below the facts, for those who may press them")
    func actions() throws {
        func page(showsForms: Bool) throws -> String {
            let frame = PageFrame(title: "x", csrf: "token", showsForms: showsForms)
            let action = FormView(id: "stop", target: "/x", csrf: "token", buttons: [FormButton("Stop", "stop")])
            return try PageTemplates().html(
                ReportView(frame, introduction: "", facts: [Fact("State", "on")], actions: [action]))
        }
        let shown = try page(showsForms: true)
        #expect(shown.contains(#"<button type="submit" name="do" value="stop">Stop</button>"#))
        #expect(try #require(shown.range(of: "</dl>")).upperBound < #require(shown.range(of: "id=\"stop\"")).lowerBound)
        #expect(!(try page(showsForms: false)).contains("value=\"stop\""))
    }

    @Test("A page with mistakes says so in its title")
    func mistakes() throws {
        func title(_ errors: [PageError]) throws -> String {
            let page = try PageTemplates().html(
                ReportView(PageFrame(title: "Screen", errors: errors), introduction: ""))
            return String(try #require(page.firstMatch(of: /<title>([^<]*)<\/title>/)).1)
        }
        let (good, wrong) = (try title([]), try title([PageError("Choose a day.")]))
        #expect(good == "Screen – AdAttribution")
        #expect(wrong == "Error: Screen – AdAttribution")
    }

    @Test("The filters that are on stand in one line before the form, and without one there is no line")
    func inForce() throws {
        func page(_ filters: [String]) throws -> String {
            let form = FilterForm(action: "/x", selects: [], inputs: [], hidden: [], ranges: [], inForce: filters)
            return try PageTemplates().html(ReportView(PageFrame(title: "x"), introduction: "", filters: form))
        }
        let (some, none) = (try page(["test", "29 Oct–27 Nov 2026"]), try page([]))
        let line = try #require(some.range(of: "</span>test · 29 Oct–27 Nov 2026</p>"))
        let form = try #require(some.range(of: "<form"))
        #expect(line.upperBound < form.lowerBound)
        #expect(!none.contains("in-force"))
    }

    @Test(
        "A row that begins with a day or a time keeps it on one line", arguments: ["2026-11-27", "2026-11-27 03:14:52"])
    func moments(text: String) throws {
        func page(_ text: String) throws -> String {
            let rows = [[TableCell(text, isHeader: true)]]
            let figure = FigureView(id: "f", heading: "Figure", headers: ["a"], rows: rows, advice: "")
            return try PageTemplates().html(ReportView(PageFrame(title: "x"), introduction: "", figures: [figure]))
        }
        let (moment, other) = (try page(text), try page("2026 11 27"))
        #expect(moment.contains("<th scope=\"row\" class=\"moment\">\(text)</th>"))
        #expect(other.contains("<th scope=\"row\">2026 11 27</th>"))
    }

    @Test("Days and times have one form for people, and one day is no range")
    func days() {
        #expect(DayText.range("2026-10-29", "2026-11-27") == "29 Oct–27 Nov 2026")
        #expect(DayText.range("2025-12-29", "2026-01-03") == "29 Dec 2025–3 Jan 2026")
        #expect(DayText.range("2026-11-27", "2026-11-27") == "27 Nov 2026")
        #expect(DayText.span("2026-11-21", "2026-11-21") == "2026-11-21")
        #expect(DayText.span("2026-11-21", "2026-11-27") == "2026-11-21 to 2026-11-27")
        #expect(DayText.moment("2026-11-27T03:14:52.008Z") == "2026-11-27 03:14:52")
        #expect(DayText.moment("2026-11-27T03:14:52Z") == "2026-11-27 03:14:52")
        #expect(DayText.moment("soon") == "soon")
    }

    @Test("Only long texts of several words may be broken into lines")
    func lines() throws {
        func cell(_ text: String) throws -> Bool {
            let figure = FigureView(id: "f", heading: "Figure", headers: ["a"], rows: [[TableCell(text)]], advice: "")
            return try PageTemplates().html(ReportView(PageFrame(title: "x"), introduction: "", figures: [figure]))
                .contains("<td class=\"text\">")
        }
        #expect(try !cell("2026-11-22 10:11:12.345") && !cell(String(repeating: "a-b", count: 40)))
        #expect(try cell("must be a number of at most four digits, without a sign"))
    }
}
