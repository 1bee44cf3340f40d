import Foundation
import PageViews
import Testing

@Suite("Charts and numbers of the page")
struct ChartTests {
    private func html(_ data: ChartData) throws -> String {
        let figure = FigureView(
            id: "figure", heading: "Figure", chart: data, headers: ["a"], rows: [[TableCell("a")]], advice: "")
        return try PageTemplates().html(ReportView(PageFrame(title: "x"), introduction: "", figures: [figure]))
    }

    /// A bar, with its ends in units from the ground.
    private struct Bar {
        let series: Int
        let place: Int
        var ground: Double
        let top: Double
        var height: Double { top - ground }
    }

    /// The bars of a page, place by place.
    private func bars(_ page: String) throws -> [Bar] {
        var bars: [Bar] = []
        for path in page.matches(of: /<path class="series-([0-9]+)( incomplete)?" d="([^"]*)">/) {
            let series = try #require(Int(path.1))
            func add(_ place: Int, _ ground: Substring, _ top: Substring) throws {
                let ends = (try #require(Double(ground)) / 4, try #require(Double(top)) / 4)
                if ends.1 > 0 { bars.append(Bar(series: series, place: place, ground: ends.0, top: ends.1)) }
            }
            if path.2 != nil {
                for bar in path.3.matches(of: /M([0-9]+) ([0-9]+)V([0-9]+)/) {
                    try add(try #require(Int(bar.1)), bar.2, bar.3)
                }
            } else {
                for (place, bar) in path.3.matches(of: /V([0-9]+)h[0-9.]+V0h/).enumerated() {
                    try add(place, "0", bar.1)
                }
            }
        }
        bars.sort { ($0.place, $0.series) < ($1.place, $1.series) }
        // Complete bars begin at the ground, behind those below them.
        for (index, below) in zip(bars.indices.dropFirst(), bars) where bars[index].place == below.place {
            bars[index].ground = max(bars[index].ground, below.top)
        }
        return bars
    }

    /// What each place says, in order.
    private func places(_ page: String) -> [String] {
        page.matches(of: /<text y="8">(.*?) <\/text>/).map { text in
            text.1.matches(of: /<tspan[^>]*>(.*?)<\/tspan>/).map { String($0.1) }.joined(separator: "; ")
        }
    }

    @Test("Bars stand upon each other, as high as their numbers, and say what they show")
    func stacked() throws {
        let page = try html(
            ChartData(
                places: ["a", "b"], series: [.init("one", [10, 20]), .init("two", [30, 0])],
                isIncomplete: [false, true]))
        let bars = try self.bars(page)
        #expect(bars.map { [$0.place, $0.series] } == [[0, 1], [0, 2], [1, 1]])
        #expect(abs(bars[1].height - 3 * bars[0].height) < 0.5 && abs(bars[2].height - 2 * bars[0].height) < 0.5)
        #expect(bars[1].ground == bars[0].top)
        #expect(places(page) == ["a; one: 10; two: 30", "b, not complete yet; one: 20; two: 0"])
        #expect(page.contains("class=\"series-1 incomplete\""))
        #expect(page.contains("The greatest is 40, at a. 1 of 2 are not complete yet."))
    }

    @Test("A place whose range nobody knows has no lines")
    func unknownRange() throws {
        func chart(_ ranges: [ClosedRange<Double>?]) throws -> String {
            try html(ChartData(places: ["a", "b"], series: [.init("one", [10, 20])], ranges: ranges))
        }
        func whiskers(_ page: String) -> Int {
            page.matches(of: /class="whisker" transform="[^"]*" d="([^"]*)"/).reduce(0) {
                $0 + $1.1.count { $0 == "M" }
            }
        }
        let (none, one) = (try chart([]), try chart([nil, 10...30]))
        #expect(try chart([nil, nil]) == none)
        #expect(whiskers(none) == 0 && whiskers(one) == 1)
        #expect(try whiskers(chart([5...15, 10...30])) == 2)
        #expect(places(one) == ["a; one: 10", "b; one: 20; between 10 and 30"])
    }

    @Test("A number that nobody knows has no bar, and its place says –")
    func unknown() throws {
        let page = try html(ChartData(places: ["a", "b"], series: [.init("one", [nil, 2.5])]))
        #expect(try bars(page).map(\.place) == [1])
        #expect(places(page) == ["a; one: –", "b; one: 2.50"])
    }

    @Test("A place leads to its address, or else the keyboard reaches it and its name has the numbers")
    func links() throws {
        let page = try html(
            ChartData(places: ["a", "b"], series: [.init("one", [1, 2])], links: ["/?from=a&to=a", nil]))
        #expect(
            page.contains(
                "<a href=\"/?from=a&amp;to=a\" transform=\"translate(256)\"><use href=\"#figure-start\"></use>")
        )
        #expect(page.contains("<g tabindex=\"0\" role=\"img\" aria-label=\"b, one: 2\" transform=\"translate(612)\">"))
        #expect(page.contains("<a class=\"skip\" href=\"#figure-chart-end\">Skip the bars of Figure</a>"))
        #expect(page.contains("<figcaption id=\"figure-chart-end\" tabindex=\"-1\">"))
    }

    @Test("A chart of more places than anybody can point at has its bars alone")
    func manyPlaces() throws {
        let page = try html(
            ChartData(places: (0..<401).map { "\($0)" }, series: [.init("one", Array(repeating: 1, count: 401))]))
        #expect(try bars(page).count == 401)
        #expect(!page.contains("class=\"places") && !page.contains("class=\"skip\""))
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
        let bars = try self.bars(page)
        #expect(bars.count == 2 && bars[0].top == bars[1].top)
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

    @Test(
        "Labels of the axis do not touch, and none is left of the ground or right of it", arguments: [1, 3, 9, 30, 90])
    func labels(count: Int) throws {
        for name in ["1", "SKAdNetwork 4.0 · first window"] {
            let page = try html(
                ChartData(
                    places: (0..<count).map { "\(name)\($0 % 10)" },
                    series: [.init("one", Array(repeating: 1, count: count))]))
            for (letter, classes) in [(6.6, "axis( minor)?"), (13.2, "axis")] {
                var end = 0.0
                let pattern =
                    "<text class=\"\(classes)\" x=\"([0-9.]+)\" y=\"246\" text-anchor=\"([a-z]+)\">"
                    + "([^<]*)</text>"
                let expression = try NSRegularExpression(pattern: pattern)
                let found = expression.matches(in: page, range: NSRange(page.startIndex..., in: page))
                #expect(!found.isEmpty)
                for match in found {
                    let texts = (match.numberOfRanges - 3..<match.numberOfRanges).map { group in
                        Range(match.range(at: group), in: page).map { String(page[$0]) } ?? ""
                    }
                    let (x, width) = (try #require(Double(texts[0])), Double(texts[2].count) * letter)
                    let left = texts[1] == "start" ? x : texts[1] == "end" ? x - width : x - width / 2
                    #expect(left >= max(78, end) - 0.1, "\(count) \(name) \(left) \(end)")
                    end = left + width
                }
                // A label of one place may be longer than a phone is wide.
                #expect(end <= 790.1 || found.count == 1)
            }
        }
    }

    @Test("Nothing, huge and wrong numbers give a chart inside its box", arguments: [0, 1e-9, 1e300, .infinity, .nan])
    func extremes(number: Double) throws {
        let page = try html(
            ChartData(
                places: ["a"], series: [.init("one", [number])], ranges: [0...(number.isNaN ? 1 : number)],
                isIncomplete: [false]))
        for bar in try bars(page) {
            #expect(bar.height > 0 && bar.ground >= 0 && bar.top <= 225)
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

    @Test(
        "A time is shown in the unit in which people would say it",
        arguments: [
            (0.01, "0 s"), (0.44, "0.4 s"), (9.97, "10 s"), (119, "119 s"), (120, "2 min"), (7_169, "119 min"),
            (7_200, "2 h"), (172_800, "2 days"), (86_400_000, "1,000 days"), (-3, "0 s"), (.nan, "–"), (.infinity, "–"),
            (.greatestFiniteMagnitude, "1,000,000,000,000,000 days"),
        ] as [(Double, String)])
    func durations(seconds: Double, shown: String) {
        #expect(NumberText.duration(seconds: seconds) == shown)
    }
}
