import PageViews
import Testing

@Suite("Charts and numbers of the page")
struct ChartTests {
    private func html(_ data: ChartData) throws -> String {
        let figure = FigureView(
            id: "figure", heading: "Figure", chart: data, headers: ["a"], rows: [[TableCell("a")]], advice: "")
        return try PageTemplates().html(ReportView(PageFrame(title: "x"), introduction: "", figures: [figure]))
    }

    /// The numbers of an attribute of each bar, in order.
    private func bars(_ page: String, _ attribute: String) -> [Double] {
        page.split(separator: "\n").filter { $0.hasPrefix("<rect class=\"series") }.compactMap {
            $0.split(separator: " \(attribute)=\"").last?.split(separator: "\"").first.flatMap { Double($0) }
        }
    }

    /// What each place says, in order.
    private func places(_ page: String) -> [String] {
        page.matches(of: /<text class="value"[^>]*>(.*?) <\/text>/).map { text in
            text.1.matches(of: /<tspan[^>]*>(.*?)<\/tspan>/).map { String($0.1) }.joined(separator: "; ")
        }
    }

    @Test("Bars stand upon each other, as high as their numbers, and say what they show")
    func stacked() throws {
        let page = try html(
            ChartData(
                places: ["a", "b"], series: [.init("one", [10, 20]), .init("two", [30, 0])],
                isIncomplete: [false, true]))
        let (heights, tops) = (bars(page, "height"), bars(page, "y"))
        #expect(heights.count == 3)
        #expect(abs(heights[1] - 3 * heights[0]) < 0.25 && abs(heights[2] - 2 * heights[0]) < 0.25)
        #expect(abs(tops[1] + heights[1] - tops[0]) < 0.15)
        #expect(places(page) == ["a; one: 10; two: 30", "b, not complete yet; one: 20; two: 0"])
        #expect(page.contains("class=\"series-1 incomplete\""))
        #expect(page.contains("The greatest is 40, at a. 1 of 2 are not complete yet."))
    }

    @Test("A place whose range nobody knows has no lines")
    func unknownRange() throws {
        func chart(_ ranges: [ClosedRange<Double>?]) throws -> String {
            try html(ChartData(places: ["a", "b"], series: [.init("one", [10, 20])], ranges: ranges))
        }
        func whiskers(_ page: String) -> Int { page.matches(of: /class="whisker" d="M[0-9]+\.[0-9]/).count }
        let (none, one) = (try chart([]), try chart([nil, 10...30]))
        #expect(try chart([nil, nil]) == none)
        #expect(whiskers(none) == 0 && whiskers(one) == 1)
        #expect(try whiskers(chart([5...15, 10...30])) == 2)
        #expect(places(one) == ["a; one: 10", "b; one: 20; between 10 and 30"])
    }

    @Test("A number that nobody knows has no bar, and its place says –")
    func unknown() throws {
        let page = try html(ChartData(places: ["a", "b"], series: [.init("one", [nil, 2.5])]))
        #expect(bars(page, "height").count == 1)
        #expect(places(page) == ["a; one: –", "b; one: 2.50"])
    }

    @Test("A place leads to its address, or else the keyboard reaches it and its name has the numbers")
    func links() throws {
        let page = try html(
            ChartData(places: ["a", "b"], series: [.init("one", [1, 2])], links: ["/?from=a&to=a", nil]))
        #expect(page.contains("<a class=\"place\" href=\"/?from=a&amp;to=a\"><rect class=\"hit\""))
        #expect(page.contains("<g class=\"place\" tabindex=\"0\" role=\"img\" aria-label=\"b, one: 2\">"))
        #expect(page.contains("<a class=\"skip\" href=\"#figure-chart-end\">Skip the bars of Figure</a>"))
        #expect(page.contains("<figcaption id=\"figure-chart-end\" tabindex=\"-1\">"))
    }

    @Test("A chart of more places than anybody can point at has its bars alone")
    func manyPlaces() throws {
        let page = try html(
            ChartData(places: (0..<401).map { "\($0)" }, series: [.init("one", Array(repeating: 1, count: 401))]))
        #expect(bars(page, "height").count == 401)
        #expect(!page.contains("class=\"place\"") && !page.contains("class=\"skip\""))
    }

    @Test("Charts of one figure stand below each other, each with its name, its axis and its ids")
    func several() throws {
        let page = try html(
            ChartData(
                name: "Spend", places: ["a"], series: [.init("spend", [100])],
                others: [ChartData(name: "Return", places: ["a"], series: [.init("return", [0.4])], isShare: true)]))
        #expect(
            page.contains("<title id=\"figure-chart-title\">Spend</title>")
                && page.contains("<title id=\"figure-2-chart-title\">Return</title>"))
        #expect(places(page) == ["a; spend: 100", "a; return: 40.0 %"])
        let heights = bars(page, "height")
        #expect(heights.count == 2 && heights[0] == heights[1])
    }

    @Test("Days of the axis have no year if all are of one, and great numbers are short")
    func axis() throws {
        func axis(_ places: [String], _ value: Double, isShare: Bool = false) throws -> [String] {
            let page = try html(
                ChartData(places: places, series: [.init("one", places.map { _ in value })], isShare: isShare))
            return page.matches(of: /<text class="axis[^>]*>(.*?)<\/text>/).map { String($0.1) }
        }
        #expect(
            try axis(["2026-10-05", "2026-11-23 · 3 of 7"], 1_500_000)
                == ["0", "500k", "1M", "1.5M", "5 Oct", "23 Nov · 3 of 7"])
        #expect(try axis(["2025-12-31", "2026-01-01"], 2_000).suffix(3) == ["2,000", "31 Dec 2025", "1 Jan 2026"])
        #expect(
            try axis(["2026-13-01", "525463029"], 0.03, isShare: true).suffix(3) == ["3 %", "2026-13-01", "525463029"])
    }

    @Test("Nothing, huge and wrong numbers give a chart inside its box", arguments: [0, 1e-9, 1e300, .infinity, .nan])
    func extremes(number: Double) throws {
        let page = try html(
            ChartData(
                places: ["a"], series: [.init("one", [number])], ranges: [0...1],
                isIncomplete: [false]))
        for (height, top) in zip(bars(page, "height"), bars(page, "y")) {
            #expect(height > 0 && top >= 0 && top + height <= 260)
        }
        #expect(!page.contains("nan") && !page.contains("inf\""))
    }

    @Test(
        "Numbers are rounded and have commas between thousands",
        arguments: [
            ("1234567", 0, "1,234,567"), ("-1234.565", 2, "-1,234.57"), ("0.000000", 2, "0.00"),
            ("999.999", 2, "1,000.00"),
            ("12", 2, "12.00"), ("123456789012345678901234567890", 0, "123,456,789,012,345,678,901,234,567,890"),
            ("text", 2, "text"),
        ])
    func numbers(text: String, places: Int, shown: String) {
        #expect(NumberText.decimal(text, places: places) == shown)
    }

    @Test("Shares are percent with one place")
    func shares() {
        #expect(NumberText.share("0.123456") == "12.3 %")
        #expect(NumberText.share("1") == "100.0 %")
    }
}
