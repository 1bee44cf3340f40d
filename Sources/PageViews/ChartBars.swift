/// The bars of a chart and the lines of its ranges, as few paths as possible: so a page with a thousand bars is short.
///
/// Bars stand upon each other. The path of a series goes from place to place, and up to the sum of the series so far. Those
/// of the series below are drawn over it. Bars that are not complete are pale, so each is a box above those below it.
struct ChartBars: Sendable {
    struct Path: Sendable {
        let style: String
        let shape: String
    }

    /// In the order in which they are drawn.
    let paths: [Path]
    let transform: String
    /// The lines from the least to the greatest number of each place; nil if there are none.
    let whiskers: String?
    let whiskerTransform: String

    /// The height of a bar that would be too low to see, in steps.
    private static let least = 2

    /// Draws the bars.
    init(_ data: ChartData, _ layout: ChartLayout) {
        let (bar, gap) = (layout.part(layout.width), layout.part(layout.step - layout.width))
        var (complete, open): ([Path], [Path]) = ([], [])
        var sums = data.places.map { _ in 0.0 }
        var tops = data.places.map { _ in 0 }
        for (number, series) in data.series.enumerated() {
            let style = "series-\(number + 1)"
            var (outline, boxes, hasBars) = ("M0 0", "", false)
            for (place, value) in series.values.enumerated() {
                let ground = tops[place]
                var top = 0
                if let value, value > 0 {
                    sums[place] += value
                    top = max(layout.height(sums[place]), ground + Self.least)
                    tops[place] = top
                }
                if data.isIncomplete[place] {
                    if top > 0 { boxes += "M\(place) \(ground)V\(top)h\(bar)V\(ground)z" }
                    top = 0
                }
                hasBars = hasBars || top > 0
                outline += "V\(top)h\(bar)V0h\(gap)"
            }
            if hasBars { complete.append(Path(style: style, shape: outline)) }
            if !boxes.isEmpty { open.append(Path(style: style + " incomplete", shape: boxes)) }
        }
        paths = complete.reversed() + open
        transform = layout.transform(from: (layout.step - layout.width) / 2)
        let half = min(6, layout.step / 4)
        let (end, middle) = (layout.part(2 * half), layout.part(half))
        let lines = zip(data.places.indices, data.ranges).map { place, range in
            guard let range, range.upperBound > 0 else { return "" }
            let (top, bottom) = (layout.height(range.upperBound), layout.height(range.lowerBound))
            return "M\(place) \(top)h\(end)m-\(middle) 0v\(bottom - top)m-\(middle) 0h\(end)"
        }.joined()
        whiskers = lines.isEmpty ? nil : lines
        whiskerTransform = layout.transform(from: layout.step / 2 - half)
    }
}
