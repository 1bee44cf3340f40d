import AdminPage
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
        page.split(separator: "\n").filter { $0.hasPrefix("<rect class=\"series") && $0.contains("<title>") }.compactMap
        {
            $0.split(separator: " \(attribute)=\"").last?.split(separator: "\"").first.flatMap { Double($0) }
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
        #expect(abs(heights[1] - 3 * heights[0]) < 0.05 && abs(heights[2] - 2 * heights[0]) < 0.05)
        #expect(abs(tops[1] + heights[1] - tops[0]) < 0.05)
        #expect(page.contains("<title>a, two: 30</title>"))
        #expect(
            page.contains("class=\"series-1 incomplete\"")
                && page.contains("<title>b, one: 20, not complete yet</title>"))
        #expect(page.contains("The greatest is 40, at a. 1 of 2 are not complete yet."))
    }

    @Test("A place whose range nobody knows has no lines")
    func unknownRange() throws {
        func chart(_ ranges: [ClosedRange<Double>?]) throws -> String {
            try html(ChartData(places: ["a", "b"], series: [.init("one", [10, 20])], ranges: ranges))
        }
        func whiskers(_ page: String) -> Int { page.matches(of: /class="whisker"/).count }
        let (none, one) = (try chart([]), try chart([nil, 10...30]))
        #expect(try chart([nil, nil]) == none)
        #expect(whiskers(none) == 0 && whiskers(one) > 0)
        #expect(try whiskers(chart([5...15, 10...30])) == 2 * whiskers(one))
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
